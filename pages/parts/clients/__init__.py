"""What only the Clients page has: the table's cells, quick fills, files, and the data panel."""
