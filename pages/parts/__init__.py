"""Parts of pages. They read the core's theory and stored runs, and never train."""
