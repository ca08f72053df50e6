"""A job as it goes, for its owner and for whoever looks on: what was found in a line and three figures
(`headline`, `leak`), the three panels (`trio`), and what stands behind them (`more`).
"""
