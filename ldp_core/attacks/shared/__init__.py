"""What several attackers use: the first layer read through a law, likelihoods, and a minimiser."""
