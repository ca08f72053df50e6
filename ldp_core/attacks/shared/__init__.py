"""What several attackers use.

Those who search: `search` is what they share (iterations, restarts, chunks, frames), `minimise` the batched
L-BFGS, line search and Adam, `matching` the distance that falls, `pace` the time it takes. Those who compute
a picture at once: `first_layer` and its windows, `reading` what an upload says, `laws` the likelihoods,
`public_steps` and `kind` what public images tell.
"""
