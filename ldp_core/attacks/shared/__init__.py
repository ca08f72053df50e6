"""Code shared by attackers: for searches `search`, `minimise`, `objective`, for closed forms `first_layer`;
`reading` (an upload as a gradient), `laws` (likelihoods), `public_steps` and `kind` (public images).
"""
