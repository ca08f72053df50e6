"""At most thirty words, each with one meaning."""

from __future__ import annotations

from pages.parts.train.help import TERMS
from pages.parts.ui.meanings import GLOSSARY, glossary


def test_the_glossary_is_short_and_no_symbol_stands_twice():
    assert len(GLOSSARY) <= 30
    symbols = [term.split()[0] for term in GLOSSARY]
    assert len(set(symbols)) == len(symbols)
    assert set(TERMS) <= set(GLOSSARY)
    assert all(sentence.endswith(".") and len(sentence) < 250 for sentence in GLOSSARY.values())
    assert glossary(["Round"]).startswith("- **Round**: All who")
