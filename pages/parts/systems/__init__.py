"""Parts on published systems and settings, for all pages with a draft."""
