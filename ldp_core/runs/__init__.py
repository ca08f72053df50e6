"""What survives a page, a browser and a server: files, processes and the queue."""
