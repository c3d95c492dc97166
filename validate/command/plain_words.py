#!/usr/bin/env python3
"""Lists sentences that are too long to be read once, and words of our own for which the field has others.

    plain_words.py [PATH ...]    from the top folder; without a PATH, all sources and pages that git knows

Sentences are those of comments in C, CUDA C, Python and shell, of docstrings, and of pages (.md) without their code and
tables. A command or a name between backquotes counts as one word; a row of a list in columns ends a sentence. A line a
finding, `FILE:LINE: ...`, and at the end how many there are of each kind. It is a list for whoever writes next, not a test."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LONGEST = 35  # words of a sentence

# What we say, and what the field says.
WORDS = {
    r"luggage": "migration message",
    r"guests?": "remote parent",
    r"foster": "attach remote parents",
    r"breed": "count offspring",
    r"adopt(?:s|ed|ions?)?": "assign children",
    r"lend|reclaim": "pinned buffers, export memory",
    r"settle[sd]?": "synchronise",
    r"passing": "exchange",
    r"ranked|joint": "distributed",
    r"gates?": "pre-launched kernel that waits for the host",
    r"doors?": "host mailbox, device mailbox",
    r"glances?": "relaxed load",
    r"companions?|bundles?": "launch batch",
    r"accompan(?:y|ies)|depart": "join, flush",
    r"fleets?": "engine pool",
    r"kinship": "correlation of relatives",
    r"sure[ _]families": "effective families",
    r"remed(?:y|ies)": "advice",
    r"museum|shadow": "a plain word",
}
# Words that are ours in C and CUDA C, and plain elsewhere: the regression gate of CI.
PLAIN_ELSEWHERE = re.compile(r"gates?", re.IGNORECASE)
C_SUFFIXES = (".c", ".h", ".cu", ".cuh")
OURS = re.compile(r"(?<![A-Za-z])(?:" + "|".join(WORDS) + r")(?![A-Za-z])", re.IGNORECASE)

C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
HASH_COMMENT = re.compile(r"(?:^[ \t]*#(?!!)[^\n]*\n?)+", re.MULTILINE)
# A docstring is alone on its line; other texts between triple quotes are programs, data and templates.
DOCSTRING = re.compile(r'(^[ \t]*)?"""(.*?)"""', re.DOTALL | re.MULTILINE)
# What is no sentence of a page: code, tables, lists of files, pictures.
NOT_TEXT = re.compile(r"^```.*?^```|^\|[^\n]*$|^<!--.*?-->", re.DOTALL | re.MULTILINE)
# A row of a list in columns, such as `NAME   what it is`, and its end: two spaces or more inside of a line.
COLUMNS = r"\n(?=[ \t#]*\S[^\n]*\S {2,}\S)"
SENTENCE_END = re.compile(rf"(?<=[.?!])[\s*#]+(?=[A-Z`(])|\n[\s*#]*\n|\n[\s*#]*(?=[-*] )|{COLUMNS}")
QUOTED = re.compile(r"`[^`]*`")


def passages(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Passages of prose, each with where it begins."""
    if path.suffix == ".md":
        yield 0, NOT_TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
        return
    comments = C_COMMENT if path.suffix in C_SUFFIXES else HASH_COMMENT
    for found in comments.finditer(text):
        yield found.start(), found[0]
    if path.suffix == ".py":
        for found in DOCSTRING.finditer(text):
            if found[1] is not None:
                yield found.start(), found[0]


def sentences(passage: str) -> Iterator[tuple[int, str]]:
    """Sentences, each with where it begins in the passage."""
    start = 0
    for end in [found.end() for found in SENTENCE_END.finditer(passage)] + [len(passage)]:
        yield start, passage[start:end]
        start = end


def findings(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, kind and what is said of it."""
    text = path.read_text(errors="replace")
    for at, passage in passages(path, text):
        for begin, sentence in sentences(passage):
            words = re.findall(r"[A-Za-z0-9][^\s]*", QUOTED.sub("NAME", sentence))
            if len(words) > LONGEST:
                line = text.count("\n", 0, at) + passage.count("\n", 0, begin) + 1
                yield line, "long", f"{len(words)} words: {' '.join(words[:8])} ..."
    for found in OURS.finditer(text):
        if PLAIN_ELSEWHERE.fullmatch(found[0]) and path.suffix not in C_SUFFIXES:
            continue
        instead = next(say for word, say in WORDS.items() if re.fullmatch(word, found[0], re.IGNORECASE))
        yield text.count("\n", 0, found.start()) + 1, "word", f"{found[0]}: {instead}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="*")
    asked = parser.parse_args().path
    paths = asked or [name for name in
                      subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
                      if Path(name).suffix in (*C_SUFFIXES, ".md", ".py", ".sh")
                      and "/results/" not in name and name != "validate/command/plain_words.py"]
    kinds: Counter[str] = Counter()
    for path in map(Path, paths):
        for line, kind, said in sorted(findings(path)):
            kinds[kind] += 1
            print(f"{path}:{line}: {said}")
    print(f"{kinds['long']} sentences of more than {LONGEST} words, {kinds['word']} words of our own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
