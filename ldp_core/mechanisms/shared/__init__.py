"""What several mechanisms share: blocks of large matrices, Gaussian noise, laws without a scale, float32's limits."""
