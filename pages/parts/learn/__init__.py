"""Parts of the page Learn, and the free field of lessons and classes."""
