"""The pages, one file each; shared code is in `pages.parts`."""
