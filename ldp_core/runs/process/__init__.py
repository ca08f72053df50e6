"""The processes that train: the worker, and one process for each job.

`start` starts a worker; `worker` is its loop; `watching` forks a
process for one job and watches over it; `training` is what that does, by the job's kind. Where a cancelled
job ends up: `training` is stopped; on its way out the kind closes its recorder, and `record.recorder`
writes the events and each run's last state; how it ended goes through a pipe to `watching`, which writes the
status in the queue.
"""
