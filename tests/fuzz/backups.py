"""Members of a zip file: read, and replaced with the checksums that belong to them."""

import io
import zipfile


def members_of(data):
    """Return every member of a zip file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def member_replaced(data, name, content):
    """Return a zip file with one member replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for each, held in members_of(data).items():
            archive.writestr(each, content if each == name else held)
    return out.getvalue()
