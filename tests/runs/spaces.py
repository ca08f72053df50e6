"""What makes a container's namespace for processes, where there is no engine for containers."""

from __future__ import annotations

SPACE = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
