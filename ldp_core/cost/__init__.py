"""What a job will cost, before it is launched.

`work` counts what is to be done and says how long it takes at this machine's rates (which
`runs.machine.calibration` measures); `estimate` adds memory and disk. How long a job waits is estimated by
`runs.jobs.wait_estimate`, and what a running one still takes by `runs.record.progress`.
"""
