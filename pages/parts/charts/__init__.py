"""Charts: axes and colours (`base`, `styles`), runs as lines (`series`), and a file per chart."""
