"""What survives a page, a browser and a server: files, processes and the queue.

Pages and the command line call `jobs` (submit, look, cancel, pin, delete) and read `view`. Rooms, each of
which may import those before it: `storage` (files), `lockstep` (runs that are watched), `batch`, `cluster`,
`train_all` (a sweep's, on all cores or other machines), `machine` (slots and speed), `queue` (one row a job),
`record` (what is kept of a job), `view` (records folded for who looks), `kinds` (what a job may ask for),
`process` (who does it), `jobs`. Nothing here imports torch before a process trains.
"""
