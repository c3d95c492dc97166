"""The pages of committed results, FOLDER/tables.md, and tables of them in other Markdown files, each between its markers

    <!-- FOLDER: TABLE -->  ...  <!-- end -->

and the pictures of the folder. TABLE: one of its kind of results (sources.py), or a picture, which becomes a link. What the
pictures were drawn from is known by pictures.cksum beside them."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench.common import Refused, publish
from bench.sources import PAGE, Source, has_results, open_source, page_of, show

END = "<!-- end -->"
MARKER = re.compile(r"<!-- ([^ :]+): ([a-z0-9_]+) -->\n")
FOLDERS = "paising perf plots reference validate ci".split()
RESULTS = Path("perf/results")


def pages() -> list[Path]:
    """The pages of all committed results, also of those that have none yet."""
    return sorted({data.parent / PAGE for data in RESULTS.rglob("*.dat") if has_results(data.parent)})


def every_file() -> list[Path]:
    """These pages, and every Markdown file that shows a table of results."""
    known = [Path("README.md"), *(file for folder in FOLDERS for file in sorted(Path(folder).rglob("*.md")))]
    marked = [file for file in known if any(
        has_results(Path(marker.group(1))) for marker in MARKER.finditer(file.read_text()))]
    return pages() + marked


def renew(file: Path, books: dict[str, Source]) -> str:
    """A file with its tables made anew; those of a folder without results stay as they are. Adds the
    results that it uses to `books`, by their folders. Refuses a table without an end: what follows it
    would be lost."""
    if file.name == PAGE and has_results(file.parent):
        folder = str(file.parent)
        books.setdefault(folder, open_source(file.parent))
        return page_of(books[folder], file.parent)
    text, skip = "", False
    for line in file.read_text().splitlines(True):
        if line.rstrip("\n") == END:
            skip = False
        if not skip:
            text += line
        marker = MARKER.fullmatch(line)
        if marker and skip:
            break
        if not marker or not has_results(Path(marker.group(1))):
            continue
        folder, name = marker.groups()
        if folder not in books:
            books[folder] = open_source(Path(folder))
        text += show(books[folder], Path(folder), name, file)
        skip = True
    if skip:
        raise Refused(f"{file}: a table of {folder} without {END}")
    return text


def old_text(file: Path) -> str:
    """What stands in a file; nothing in a page that is not there yet."""
    return file.read_text() if file.exists() or file.name != PAGE else ""


def drawn_from(book: Source) -> str:
    """The checksum of what the pictures of a folder are drawn from."""
    return subprocess.run(["cksum"], input=book.basis(), stdout=subprocess.PIPE, check=True, text=True).stdout


def write_files(files: list[Path]) -> int:
    """Makes the tables of files anew, and the pictures of the results that they show; returns the status."""
    books: dict[str, Source] = {}
    for file in files:
        text = renew(file, books)
        if text != old_text(file):
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
        new, old = renew(file, books), old_text(file)
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
