"""What this machine can do: how many jobs at a time, and how fast (measured once)."""
