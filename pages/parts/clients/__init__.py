"""Parts of the page Clients: table cells, quick fills, files, and the data panel."""
