"""Code shared by attackers.

For searches: `search` (iterations, restarts, chunks, frames), `minimise` (batched L-BFGS, line search, Adam),
`matching` (the distance minimised), `pace` (duration). For closed forms: `first_layer` and its windows,
`reading` (an upload as a gradient), `laws` (likelihoods), `public_steps` and `kind` (statistics of public
images).
"""
