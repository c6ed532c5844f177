"""Make the pictures of the README: `python -m tools.pictures` (or `make pictures`); needs tmux."""

from pathlib import Path

from tools.pictures.drawing import draw_recording, draw_screen
from tools.pictures.recording import record
from tools.pictures.scene import COLUMNS, ROWS

FOLDER = Path(__file__).parents[2] / "docs" / "images"
WHY_TITLE = "unabridged why: every token of a prompt, and why each part is in it"
CAST_TITLE = "A ChatGPT export is imported, a question is asked, and /why explains the prompt"


def main() -> None:
    """Record the scene and write `docs/images/`."""
    recording = record()
    FOLDER.mkdir(exist_ok=True)
    cast = draw_recording(recording.frames, COLUMNS, ROWS, CAST_TITLE, CAST_TITLE)
    pictures = {"cast": cast, "why": draw_screen(recording.shots["why"], COLUMNS, WHY_TITLE)}
    for name, text in pictures.items():
        path = FOLDER / f"{name}.svg"
        path.write_text(text, "utf-8")
        print(f"Wrote docs/images/{path.name} ({len(text.encode()):,} bytes).")


if __name__ == "__main__":
    main()
