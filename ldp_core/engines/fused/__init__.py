"""A client's whole training as one compiled function, generated for its network through llvmlite.

`models.chain` describes a model as a list of layers; `memory` lays out a thread's workspace; `code` wraps
LLVM's instructions, with which `dense`, `convolution`, `activations` and the two kinds of backward
convolution, `winners` (of maxima) and `everywhere` (over `patches`), generate the layers, `descent` the
steps and `kernel` the training; `tile` sets register blocking;
`compiled` makes machine code and caches it on disk; `training` divides clients among threads.
`engines.choice` decides whether this engine is available.
"""
