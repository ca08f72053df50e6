"""A job as it goes, for its owner and for other viewers: what was found in a line and three figures
(`headline`, `leak`), the three panels (`trio`), and what stands behind them (`more`).
"""
