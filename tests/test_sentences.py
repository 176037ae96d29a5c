"""The pages keep to short sentences: `python -m tests.test_sentences` prints every long one.

Counted is prose: paragraphs and items of lists. Code, tables and headings are not.
"""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEAN, LONG, SHARE = 20, 30, 0.02
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sentences(text: str) -> list[str]:
    """Split the prose of a page into sentences; code in backticks counts as one word."""
    text = re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    lines = ["" if re.match(r" {4}|[|#:]|\s*!\[", line) else line for line in text.splitlines()]
    lines = [re.sub(r"^\s*([-*]|\d+\.) +", "\n", line) for line in lines]
    found = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        prose = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        prose = re.sub(r"`[^`]+`", "code", prose)
        found += [one for one in re.split(r"(?<=[.!?])[\"*)_]*\s+", prose) if re.search(r"[A-Za-z]{2}", one)]
    return found


def length(sentence: str) -> int:
    """Count the words of a sentence."""
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def counted() -> list[tuple[Path, str]]:
    """Give the sentences of all pages."""
    return [(page, sentence) for page in PAGES for sentence in sentences(page.read_text(encoding="utf-8"))]


def test_sentences_of_the_pages_are_short() -> None:
    words = [length(sentence) for _, sentence in counted()]
    assert len(words) > 200
    assert sum(words) / len(words) < MEAN
    assert sum(one > LONG for one in words) <= SHARE * len(words)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("One. Two words.\n\n    code here. more\n", ["One.", "Two words."]),
        ("- An item, `a b c`\n- Another [link](x.md).\n", ["An item, code", "Another link."]),
        ("| a. b. | c |\n\n```python\nx. y\n```\nAfter it\nall.\n", ["After it all."]),
    ],
)
def test_only_prose_is_counted(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


if __name__ == "__main__":
    rows = [(page, one) for page, one in counted() if length(one) > LONG]
    for page, one in rows:
        print(f"{page.relative_to(ROOT)}: {length(one)} words: {one}")
    total = [length(one) for _, one in counted()]
    print(f"{len(total)} sentences, mean {sum(total) / len(total):.1f} words, {len(rows)} over {LONG}")
    sys.exit(len(rows) > SHARE * len(total))
