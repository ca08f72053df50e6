"""Names of students."""

import unicodedata

from ldp_core.errors import InvalidInput, on_one_line

BLANK = "\u3164\u2800\u115f\u1160\uffa0"
"""Letters that show nothing."""
MOST_LETTERS, MOST_MARKS = 20, 2
"""Most characters of a name, and most combining marks on one of them."""
ALIKE = str.maketrans(
    "авекмнорстухѕіјԁһɡαβεικνορτυχɑıո",
    "abekmhopctyxsijdhgabeiknoptuxain",
)
"""Latin letters that others look like, after case folding."""
FIGURES = str.maketrans("01|l", "oiii")


def cleaned(name: str) -> str:
    """Name on one line, without control characters; InvalidInput if it is too long."""
    found = "".join(letter for letter in on_one_line(name) if letter not in BLANK).strip()
    if (letters := len(found)) > MOST_LETTERS:
        raise InvalidInput(f"a name has at most {MOST_LETTERS} letters; this one has {letters}: shorten it")
    marks = "".join(
        "^" if unicodedata.combining(letter) else " " for letter in unicodedata.normalize("NFD", found)
    )
    if (most := max(map(len, marks.split()), default=0)) > MOST_MARKS:
        raise InvalidInput(f"a letter takes at most {MOST_MARKS} accents; one of this name has {most}")
    return found


def latin(name: str) -> str:
    """A name in small Latin letters, where its letters look like these."""
    return unicodedata.normalize("NFKD", name).casefold().translate(ALIKE)


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that a reader cannot tell apart."""
    return "".join(letter for letter in latin(name).translate(FIGURES) if letter.isalnum()) or name
