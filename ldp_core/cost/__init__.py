"""Estimated cost of a job before its launch: `seconds` by this machine's speed (`runs.machine.calibration`),
memory and disk by `estimate`. Remaining time: `runs.record.time_left`.
"""
