"""The screens. Each page asks one question; what they share is in `pages.parts`."""
