from xml.etree import ElementTree as ET

from bench.figures.plot import bars

SVG = "{http://www.w3.org/2000/svg}"


def test_a_plot_is_a_picture_with_a_bar_for_each_figure():
    systems = {
        "unabridged": {"mrr": (0.75, 0.04), "coverage@2000": (1.0, 0.0)},
        "bm25 <&>": {"mrr": (0.5, 0.05)},
    }
    drawn = ET.fromstring(bars("a < b", systems, ["mrr", "coverage@2000"]))
    assert drawn.tag == f"{SVG}svg"
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"a < b", "unabridged", "bm25 <&>", "MRR", "cov. 2k", ".75", ".50", "1.00"} <= set(words)
    shown = [r for r in drawn.iter(f"{SVG}rect") if r.get("width") == "18"]
    assert [float(bar.get("height")) for bar in shown] == [195.0, 130.0, 260.0]
    wide, high = float(drawn.get("width")), float(drawn.get("height"))
    for each in drawn.iter(f"{SVG}rect"):
        assert 0 <= float(each.get("x", 0)) <= wide
        assert 0 <= float(each.get("y", 0)) <= high
