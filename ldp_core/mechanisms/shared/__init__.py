"""Code shared by mechanisms: blockwise sampling, Gaussian noise, scale-free laws, float32 resolution."""
