"""Estimated cost of a job before its launch.

`seconds` counts operations and converts them to seconds by this machine's measured speed
(`runs.machine.calibration`); `estimate` adds memory and disk. `runs.jobs.wait_estimate` estimates waiting,
`runs.record.progress` remaining time.
"""
