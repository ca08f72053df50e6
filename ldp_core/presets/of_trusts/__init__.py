"""Scenarios of one question, whom the clients trust, a data set each."""
