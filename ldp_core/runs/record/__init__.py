"""Stored data, as jobs and visitors left them. Unreadable or unwritable data raise StorageFailed."""
