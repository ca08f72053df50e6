"""Operating system: processes, priorities, memory, cores, small files."""
