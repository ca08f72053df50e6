"""What the operating system gives: processes and their ends, priorities, memory, cores, small files."""
