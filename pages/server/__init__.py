"""The server's middleware: host names, limits, reconnecting browsers."""
