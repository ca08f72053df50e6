"""What mechanisms share: blocks of large matrices, Gaussian noise, scale-free laws, float32's limits."""
