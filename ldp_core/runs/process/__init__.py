"""The processes that train: the worker, and one process for each job.

`registration` starts a worker and finds the one that is there; `worker` is its loop; `supervisor` watches
over one job's process; `training` is what that process does, by the job's kind.
"""
