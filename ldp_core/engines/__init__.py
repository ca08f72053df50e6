"""How local training is computed: all clients at once, or one client a process.

`base.choose` gives the engine of a model on a device; `plan.plan_batches` says which samples a client reads
at each step, and `recipe.Recipe` how it trains. Imports torch: only processes that train may import it.
"""
