"""The server itself: which hosts it answers to, and what a browser gets when it comes back."""
