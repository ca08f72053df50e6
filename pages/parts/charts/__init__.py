"""Figures: axes and colours (`base`, `styles`), runs as lines (`series`), and one file a chart."""
