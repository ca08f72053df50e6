"""Which of the five systems to use: measured `points`, and the `advice` that follows from them."""
