"""How local training is computed: all clients at once, one client a process, or by a compiled kernel.

`choice` says which engine, without torch, and reads EPSILON_ENGINE; `fused` compiles a kernel;
`joint_training` joins the clients of many runs into one matrix; `base.choose` gives the engine of a model
on a device; `plan.plan_batches` says which samples a client reads at each step, and `recipe.Recipe` how it
trains. Imports torch: only processes that train may import it.
"""
