"""What an honest-but-curious server makes of uploads during a run, and how that is measured.

`online` attacks beside the training, round by round; `grid` attacks the same images under every mechanism
and budget. Both go one way: `observe` (what the server gets) → `candidates` and `identification` (which of
M images was it?) → `scores` (one attempt held against guessing) → `summary` (many attempts). The attackers
themselves are in `ldp_core.attacks`. Imports torch: only processes that train may import it.
"""
