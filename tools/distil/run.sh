#!/bin/sh
# Makes the table of the default embedder: see docs/howto/remake-the-embedder.md.
# Usage: PYTHON=python-with-the-requirements sh tools/distil/run.sh WORK-FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:?say where the work goes: sh tools/distil/run.sh FOLDER}
python=${PYTHON:-python3}
packages="anarchism debian-handbook endless-sky-data fortunes fortunes-min gimp-help-en
gnome-user-docs libreoffice-help-en-us naev-data wesnoth-1.16-data wordnet-base"

mkdir -p "$work/debian" "$work/lists/partial" "$work/unpacked"
apt-get update -qq -o Dir::State::lists="$work/lists" -o Acquire::Languages=en
cp "$work"/lists/*debian_dists_bookworm_main_i18n_Translation-en* "$work/descriptions.lz4"
# shellcheck disable=SC2086 # one word a package
(cd "$work/debian" && apt-get download -qq $packages)
for package in "$work"/debian/*.deb; do
    dpkg-deb -x "$package" "$work/unpacked/$(basename "$package" | cut -d_ -f1)"
done

export PYTHONPATH="$root/src:$here"
"$python" "$here/corpus.py" "$work"
"$python" "$here/teacher.py" "$work"
"$python" "$here/fit.py" "$work" "$root/src/unabridged/embeddings/data"
