"""Parts of the page Noise: designs side by side, charts, tables, the four guarantees."""
