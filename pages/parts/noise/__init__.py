"""What the Noise page is made of: designs side by side, their charts and tables, the four promises."""
