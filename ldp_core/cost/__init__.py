"""Estimated cost of a job before its launch: `seconds` by this machine's speed (`runs.machine.calibration`),
memory and disk by `estimate`, waiting by `runs.jobs.wait_estimate`, remaining time by `runs.record.progress`.
"""
