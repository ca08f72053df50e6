"""A whole client's training as one compiled function, made for its network through llvmlite.

`models.chain` reads a model as a list of layers, or says why not; `memory` lays out what a thread works in;
`code` is a small language over LLVM's instructions, in which `dense`, `convolution`, `winners` and `loss`
write the layers (`winners` a convolution backwards), `tile` says how much of them stays in registers,
`moments` writes Adam's steps and `kernel` the training; `compiled` makes machine code of it and
keeps that on the disk; `training` shares clients among threads. Whether all that is possible here says
`engines.choice`.
"""
