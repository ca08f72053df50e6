"""Parts of the page Papers: all systems on one chart (`five`), a system's card (`card`), a claim
(`claim_view`); `known` reads stored figures, `words` formats verdicts.
"""
