"""What a job will cost before it is launched: its work counted, its seconds, memory and disk estimated."""
