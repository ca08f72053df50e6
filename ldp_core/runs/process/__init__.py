"""The worker process, and one process for each job.

`start` starts a worker; `worker` is its loop; `child` forks a process for one job and monitors it;
`training` is the code of that process. A cancelled job: `training` receives SIGTERM; its kind closes the
recorder, and `record.checkpoints` writes the events and each run's checkpoint; the outcome goes through a
pipe to `child`, which writes the status to the queue.
"""
