"""Computation of local training: by a compiled kernel, or by PyTorch for all clients at once.

`choice` selects the engine without importing torch, by EPSILON_ENGINE; `base.choose` returns the engine of a
model on a device; `fused` compiles kernels; `joint_training` trains clients of several runs as one matrix;
`plan.plan_batches` assigns samples to steps. Imports torch: only training processes may import this package.
"""
