"""Estimated cost of a job before its launch: `seconds` by this machine's speed (`runs.machine.calibration`),
memory and disk by `estimate`. Waiting: `runs.jobs.wait_estimate`; remaining time: `runs.record.time_left`.
"""
