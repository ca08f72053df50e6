"""The processes that train: the worker, and one process for each job.

`registration` starts a worker and finds the one that is there; `worker` is its loop; `supervisor` watches
over one job; `executor` is what it knows of who does it, and `child_process` the one who does; `training`
is what is done there, by the job's kind. Where a cancelled job ends up: `training` is told to stop and
leaves a word on the end; on its way out `kinds.run` closes the record, and `record.store` writes the events
and each run's last state; `supervisor` writes the status in the queue.
"""
