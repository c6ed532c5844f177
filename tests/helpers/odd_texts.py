"""Texts of many kinds, most of them far from prose, made by a seeded generator.

A kind is a function of a generator and a length in characters. Most are a list of pieces that are put
together at random; ``‹w›`` in a piece is a word, ``‹d›`` a digit, ``‹n›`` a number, ``‹x›`` a byte in hex.
"""

import base64
import json
import re
import string
import unicodedata
import uuid
from functools import cache

from tests.helpers.odd_languages import LANGUAGES
from tests.helpers.odd_ranges import RANGES

MARKS = string.punctuation
_FILL = re.compile("‹(.)›")


def _filled(rng, piece):
    made = {
        "w": lambda: "".join(rng.choices(string.ascii_lowercase, k=rng.randint(1, 6))),
        "v": lambda: rng.choice(string.ascii_letters) + rng.choice(["", "", "e", "0"]),
        "d": lambda: rng.choice(string.digits),
        "n": lambda: str(rng.randrange(10 ** rng.randint(1, 9))),
        "x": lambda: f"{rng.randrange(256):02x}",
        "u": lambda: f"{rng.randrange(65_536):04x}",
    }
    return _FILL.sub(lambda found: made[found[1]](), piece)


def pieces(given, joint=""):
    """Put pieces together at random."""
    chosen = given if isinstance(given, list) else given.split()

    def make(rng, size):
        found, length = [], 0
        while length < size:
            piece = _filled(rng, rng.choice(chosen))
            found.append(piece)
            length += len(piece) + len(joint)
        return joint.join(found)

    return make


def letters(alphabet):
    """Put letters together at random."""
    return lambda rng, size: "".join(rng.choices(alphabet, k=size))


def words(alphabet, low, high, joint=" "):
    """Make words of random letters."""

    def make(rng, size):
        count = size // ((low + high) // 2 + len(joint)) + 1
        return joint.join(
            "".join(rng.choices(alphabet, k=rng.randint(low, high))) for _ in range(count)
        )

    return make


def runs(alphabet, low, high):
    """Make runs of one letter each."""

    def make(rng, size):
        count = 2 * size // (low + high) + 1
        return "".join(rng.choice(alphabet) * rng.randint(low, high) for _ in range(count))

    return make


def repeated(alphabet, low, high):
    """Repeat a few letters all over."""

    def make(rng, size):
        piece = "".join(rng.choices(alphabet, k=rng.randint(low, high)))
        return piece * (size // len(piece) + 1)

    return make


def language(text):
    """Take runs of words from a text."""
    parts = text.split(" ")

    def make(rng, size):
        found, length = [], 0
        while length < size:
            start = rng.randrange(len(parts))
            found += parts[start : start + rng.randint(3, 12)]
            length = sum(map(len, found)) + len(found)
        return " ".join(found)

    return make


@cache
def block(*ranges):
    """Return the assigned characters of ranges."""
    return "".join(
        chr(code)
        for first, last in ranges
        for code in range(first, last + 1)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")
    )


def nested(rng, size):
    """Nest empty JSON."""

    def one(depth):
        if depth == 0 or rng.random() < 0.3:
            return rng.choice(["{}", "[]", "[[]]", '{"":[]}', "null", "0", '""'])
        return "[" + ",".join(one(depth - 1) for _ in range(rng.randint(1, 4))) + "]"

    found = ""
    while len(found) < size:
        found += one(6) + rng.choice(["", ",", "\n"])
    return found


def hexdump(rng, size):
    """Print bytes as ``hexdump -C`` does."""
    rows = []
    for row in range(size // 78 + 1):
        data = rng.randbytes(16)
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)
        rows.append(f"{16 * row:08x}  {data.hex(' ')}  |{shown}|")
    return "\n".join(rows)


def lined(rng, size):
    """Break base64 into lines, as mail does."""
    text = base64.b64encode(rng.randbytes(size)).decode()
    return "\n".join(text[at : at + 76] for at in range(0, len(text), 76))


def records(rng, size):
    """Write JSON objects without spaces."""
    rows = [
        {"id": rng.randrange(10**6), "n": rng.random(), "t": [None, True, ""], "k": {"a": "x"}}
        for _ in range(size // 60 + 1)
    ]
    return json.dumps(rows, separators=(",", ":"), indent=rng.choice([None, None, 1]))


def any_character(last):
    """Take any assigned character up to the last."""

    def make(rng, size):
        found = (chr(rng.randrange(last)) for _ in range(3 * size))
        return "".join(one for one in found if unicodedata.category(one) not in ("Cs", "Cn"))[:size]

    return make


_ASCII = "".join(map(chr, range(32, 127)))
_SYLLABLES = [a + b + c for a in "bcdfghjklmnprstvwz" for b in "aeiou" for c in ["", *"nsrlm"]]
_PEOPLE = ["👩", "👨", "🧑🏽", "👧🏿", "👦", "\u200d", "\u200d", "🚀", "❤️", "⚕️", "🏻"]

KINDS = {
    "random marks": letters(MARKS),
    "brackets": letters("()[]{}"),
    "brackets <>": letters("<>()[]{}"),
    "quotes": letters("'\"`“”‘’«»"),
    "marks between letters": pieces(["‹v›", " ", *MARKS, *MARKS]),
    "spaced marks": words(MARKS, 1, 1),
    "spaced marks 3": words(MARKS, 1, 3),
    "commas": letters(",;: \n"),
    "runs of marks": runs(MARKS, 1, 12),
    "runs of ascii": runs(_ASCII + "\n\t", 1, 9),
    "one mark": repeated(MARKS, 1, 1),
    "repeated marks": repeated(MARKS + " \t\n", 2, 5),
    "repeated any": repeated(_ASCII + block((0xA0, 0x3000), (0x1F300, 0x1FA00)), 1, 6),
    "ascii": letters(_ASCII),
    "printable": letters(string.printable),
    "lower": words(string.ascii_lowercase, 2, 12),
    "lower, no spaces": letters(string.ascii_lowercase),
    "mixed case": words(string.ascii_letters, 2, 14),
    "upper": words(string.ascii_uppercase, 2, 12),
    "consonants": words("bcdfghjklmnpqrstvwxz", 2, 12),
    "vowels": words("aeiouy", 2, 9),
    "single letters": words(string.ascii_letters, 1, 1),
    "letters with commas": words(string.ascii_letters + string.digits, 1, 1, ","),
    "letter runs": runs(string.ascii_letters, 2, 20),
    "letters and digits": letters(string.ascii_letters + string.digits),
    "invented words": words(_SYLLABLES, 1, 5),
    "leet": words("4bcd3fgh1jklmn0pqr57uvwxyz", 2, 10),
    "camel": pieces("Get set XML Http ID to Str Qz is Rx URI x Foo BZ"),
    "snake": words(string.ascii_lowercase, 1, 6, "_"),
    "jsfuck": pieces("[] ![] !![] +[] +!+[] [![]] ([][[]]+[]) (![]+[]) (!![]+[]) [+!+[]]", "+"),
    "brainf***": letters("+-<>[].,"),
    "brainf***, runs": pieces(["++++", "----", ">>>", "<<", "[-]", "[->+<]", ".", "++++++++"]),
    "nested json": nested,
    "empty json": repeated(["[[{},[],", '{"a":{},"b":[]},', '{"":""},'], 1, 2),
    "json": records,
    "sql dump": pieces(["(", "'',", "'',", "NULL,", "0,", "''),"]),
    "sql rows": pieces(["(‹n›,'','‹w›@x.io','2024-0‹d›-1‹d›'),", "(‹n›,'O''Neil',NULL,''),\n"]),
    "latex": pieces(
        r"\frac{‹v›}{‹v›} \sum_{‹v›=0}^{\infty} \int_{‹v›}^{‹d›} \mathbb{R}_{‹v›} \left(‹v›,‹v›\right)"
        r" x^{‹v›}_{‹d›} \alpha_{‹v›}\beta \sqrt[‹d›]{‹v›} ‹v›&‹v›\\ $‹v›\in\mathcal{‹v›}$ \hat{‹v›}"
    ),
    "minified": pieces(
        "function(‹v›,‹v›){return‹v›<‹v›?‹v›:‹v›} var‹v›=‹v›[‹v›], if(‹v›&&!‹v›||‹v›>>>0){‹v›++}"
        " for(;‹v›--;)‹v›[‹v›]^=‹v›; ‹v›=>({...‹v›,[‹v›]:0}), ‹v›.‹v›.‹v›(); (‹v›|‹v›)&~‹v›,"
    ),
    "regular expressions": pieces(
        r"^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+) (?<=\s) \d{1,3} [^\]\[]* .* \\"
    ),
    "perl": pieces(
        "$_ @{$x} =~ s/ //g; %$h{ }->[$# ] && ||= <=> $/ \\@ ${^ qw( !~ .. **= %% :: $$"
    ),
    "base64": lambda rng, size: base64.b64encode(rng.randbytes(size)).decode(),
    "base64, lines": lined,
    "base85": lambda rng, size: base64.b85encode(rng.randbytes(size)).decode(),
    "uuencoded": letters("".join(map(chr, range(32, 96)))),
    "hex": lambda rng, size: rng.randbytes(size // 2 + 1).hex(),
    "hex dump": hexdump,
    "uuids": lambda rng, size: "\n".join(
        str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(size // 37 + 1)
    ),
    "digits": letters(string.digits),
    "numbers": pieces(["‹n›.‹n›", "-‹d›", "‹n›e-‹d›", ", ", " ", "\t", "\n", ";"]),
    "addresses": pieces(["‹d›‹d›.‹d›.‹d›‹d›‹d›.‹d›:‹n›\n"]),
    "css": pieces([".‹w›>li:nth-child(‹d›){margin:‹d›px ‹d›%;color:#‹x›‹x›‹x›!important}"]),
    "xml": pieces(["<‹w›/>", "<‹w›></‹w›>", "<‹w› a=\"\" b='‹d›'/>", "<!---->", "&amp;&lt;&#‹n›;"]),
    "csv": letters([",", ",", '""', ";;", "0", "\t", "a", "|", "\n"]),
    "paths": pieces("/usr/‹w›/../lib64 /‹w›/node_modules/@types C:\\‹w›\\‹w› /v1.‹d›.‹d›/a-b_c"),
    "urls": pieces(["https://‹w›‹w›.com/‹w›?‹w›=‹x›‹u›‹x›&‹w›=%‹x›#‹w›\n"]),
    "percent": pieces(["%‹x›"]),
    "escapes": pieces(["\\x‹x›", "\\u‹u›", "\\n", "\\\\", '\\"', "\\0"]),
    "terminal": pieces(["\x1b[‹d›;‹d›‹d›m‹w›\x1b[0m"]),
    "drawing": letters(" " * 12 + "./\\|_-()'`,:;oO#=\n"),
    "boxes": letters("─│┌┐└┘├┤┬┴┼═║╔╗╚╝▀▄█░▒▓ "),
    "table": pieces(["|---", "|  ", "|:-:", "| x ", "|", "|\n"]),
    "many marks on letters": pieces([*string.ascii_letters, *block((0x300, 0x36F))]),
    "accents apart": pieces([*"aeioucnsz ", *"\u0301\u0300\u0308\u0303\u030c"]),
    "people": letters(_PEOPLE),
    "flags": letters(block((0x1F1E6, 0x1F1FF))),
    "tags": letters(["🏴", *map(chr, range(0xE0061, 0xE007B)), "\U000e007f"]),
    "keycaps": letters(["1\ufe0f\u20e3", "#\ufe0f\u20e3"]),
    "fancy letters": letters(block((0x1D400, 0x1D6A3)) + "   "),
    "full width": letters(block((0xFF01, 0xFF5E))),
    "small capitals": letters("ᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘǫʀᴛᴜᴠᴡʏᴢ "),
    "phonetic": words("ɑæɐβɓʙɕðɖɗəɛɜɞɟʄɡɠɢʛɦħɥʜɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸœʁʃʂθʧʉʊʋʌɣɤˈˌː", 3, 9),
    "dna": letters("ACGT"),
    "protein": letters("ACDEFGHIKLMNPQRSTVWY"),
    "chess": pieces("‹d›‹d›.Nf‹d› Bxe‹d› O-O Rad‹d› exd‹d› Qh‹d›+", " "),
    "smiles": pieces("C c1ccccc1 N (=O) O [C@@H] [nH] S ( ) # /C=C/ Cl Br [O-] 2 1"),
    "morse": letters([".", "-", " ", " / "]),
    "white space": letters(" \t\n\r"),
    "odd spaces": letters("\u00a0\u2003\u2009\u200b\u3000\ufeff\u1680\u2028\u2029\x0b\x0c\x85 "),
    "space and tab": repeated([" \t"], 1, 1),
    "indented": pieces([f"\n{' ' * n}‹v›" for n in range(0, 40, 3)]),
    "columns": pieces([" " * n for n in range(1, 30, 4)] + ["‹v›", "‹d›", "-", "\n"]),
    "tabs": pieces(["\t\t\t", "\t", "‹v›", "}\n", "\n"]),
    "nul": repeated("\0", 1, 1),
    "controls": letters([chr(n) for n in (*range(9), *range(14, 32), 127)]),
    "high controls": letters("".join(map(chr, range(0x80, 0xA0)))),
    "latin-1": letters("".join(map(chr, range(0xA1, 0x100)))),
    "wrong encoding": pieces("Ã¤ Ã¶ Ã¼ â€œ â€ Â Ð° Ñ Ã© ï¿½ æ—¥ ‹w›"),
    "any character": any_character(0x110000),
    "any of the first plane": any_character(0x10000),
    "private": letters("".join(map(chr, range(0xE000, 0xE400)))),
    "special tokens": pieces("<|im_start|> <|endoftext|> <s> </s> [INST] <<SYS>> <pad> <bos>"),
    **{f"random {name}": letters(block(*ranges)) for name, ranges in RANGES.items()},
    **{
        f"words of {name}": words(block(*RANGES[name]), 2, 9)
        for name in ("cyrillic", "greek", "hangul", "cjk", "arabic", "devanagari", "latin a")
    },
    **{name: language(text) for name, text in LANGUAGES.items()},
    **{
        f"letters of {name}": words(text.replace(" ", ""), 1, 9) for name, text in LANGUAGES.items()
    },
}
"""Kind to what makes a text of it."""


def mixture(rng, size):
    """Put together parts of a few kinds."""
    chosen = [KINDS[name] for name in rng.sample(sorted(KINDS), rng.randint(2, 6))]
    found, length = [], 0
    while length < size:
        found.append(rng.choice(chosen)(rng, rng.choice([3, 10, 40, 200])))
        length += len(found[-1])
    return rng.choice(["", " ", "\n"]).join(found)


def odd_text(rng, kind, most):
    """Return a text of a kind, of up to the given characters."""
    size = min(most, rng.choice([12, 60, 300, 1_500, most]))
    made = mixture(rng, size) if kind == "mixture" else KINDS[kind](rng, size)
    return made[:most].encode("utf-8", "replace").decode()
