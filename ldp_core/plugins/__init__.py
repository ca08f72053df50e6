"""Parts from outside: installed with an entry point, or a file in the folder that the operator names.

`candidates` finds them without importing any; `admission` says what is wrong with one; the registry of their
kind (`ldp_core.component`) lists those that will do beside the program's own.
"""
