"""Plug-in parts: installed with an entry point, or a file in the folder EPSILON_PARTS_DIR.

`candidates` finds plug-ins without importing them and validates one; the registry of their kind
(`ldp_core.component`) lists valid ones beside the built-in parts.
"""
