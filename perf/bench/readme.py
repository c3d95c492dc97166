"""The tables of committed results in Markdown files, each between its markers

    <!-- FOLDER: TABLE -->  ...  <!-- end -->

and the pictures of the folder. TABLE: one of its kind of results (sources.py), or a picture, which becomes a link. What the
pictures were drawn from is known by pictures.cksum beside them."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.common import Refused, publish
from bench.sources import Source, has_results, open_source

END = "<!-- end -->"


def renew(file: Path, books: dict[str, Source]) -> str:
    """A file with its tables made anew; those of a folder without results stay as they are. Adds the
    results that it uses to `books`, by their folders. Refuses a table without an end: what follows it
    would be lost."""
    text, skip = "", False
    for line in file.read_text().splitlines(True):
        if line.rstrip("\n") == END:
            skip = False
        if not skip:
            text += line
        marker = re.fullmatch(r"<!-- ([^ :]+): ([a-z0-9_]+) -->\n", line)
        if marker and skip:
            break
        if not marker or not has_results(Path(marker.group(1))):
            continue
        folder, name = marker.groups()
        if folder not in books:
            books[folder] = open_source(Path(folder))
        if name in books[folder].titles:
            title, picture = books[folder].titles[name]
            text += f"![{title}]({os.path.relpath(f'{folder}/{picture}.png', file.parent)})\n"
        else:
            text += books[folder].table(name)
        skip = True
    if skip:
        raise Refused(f"{file}: a table of {folder} without {END}")
    return text


def drawn_from(book: Source) -> str:
    """The checksum of what the pictures of a folder are drawn from."""
    return subprocess.run(["cksum"], input=book.basis(), stdout=subprocess.PIPE, check=True, text=True).stdout


def write_files(files: list[Path]) -> int:
    """Makes the tables of files anew, and the pictures of the results that they show; returns the status."""
    books: dict[str, Source] = {}
    for file in files:
        text = renew(file, books)
        if text != file.read_text():
            publish(file, text)
    for folder, book in sorted(books.items()):
        with tempfile.TemporaryDirectory() as scratch:
            for picture in book.draw(Path(scratch)):
                shutil.copy(picture, folder)
        publish(Path(folder, "pictures.cksum"), drawn_from(book))
    return 0


def check_files(files: list[Path]) -> int:
    """Says whether files and pictures are those of the results, a line a case as other tests do; returns the
    status."""
    books: dict[str, Source] = {}
    count = {"ok": 0, "FAIL": 0, "SKIP": 0}

    def tell(verdict: str, text: str) -> None:
        print(verdict, text)
        count[verdict] += 1

    for file in files:
        old, new = file.read_text(), renew(file, books)
        if not books:
            tell("SKIP", f"{file}: there are no results for its tables")
        elif old == new:
            tell("ok", f"{file} has the tables of its results")
        else:
            print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), n=0)), end="")
            tell("FAIL", f"{file}: its tables are not those of the results; make readme writes them")
    for folder, book in sorted(books.items()):
        known = Path(folder, "pictures.cksum")
        if known.exists() and known.read_text() == drawn_from(book):
            tell("ok", f"{folder}: pictures are of its results")
        else:
            tell("FAIL", f"{folder}: pictures are not those of its results; make readme draws them")
    print(f"{count['ok']} passed, {count['FAIL']} failed, {count['SKIP']} skipped")
    return 1 if count["FAIL"] else 0
