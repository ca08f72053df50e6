"""Code shared by attackers: `search`, `minimise` and `inversion_objective` for searches, `first_layer` for
closed forms, `reading` (an upload as a gradient), `laws` (likelihoods), `public_steps` (public images),
`beside` (the effort of attacks beside a training).
"""
