"""Parts of the page Papers: all systems on one chart (`five`), a paper's card (`card`), a claim
(`claim_view`).
"""
