"""The compose file holds together: no engine runs here, so it is read, and this machine's nginx is asked."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.server.proxy import AROUND, NGINX, SHIPPED, make_secrets, needs_nginx

yaml = pytest.importorskip("yaml")
FILE = ROOT / "assets" / "deploy" / "compose.yaml"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]


def test_secrets_reach_neither_the_image_nor_the_repository():
    for name in (".dockerignore", ".gitignore"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert "secrets" in [line.strip("/") for line in lines]
    packed = [line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY")]
    assert not {"secrets", "."} & {one for sources in packed for one in sources}


@needs_nginx
def test_compose_nginx_uses_the_shipped_configuration(tmp_path: Path):
    *_, shell = SERVICES["nginx"]["command"]
    make_secrets(tmp_path)
    written, _, begins = shell.replace("$$", "$").partition(" && ")
    assert begins == "exec nginx -g 'daemon off;'"
    for old, new in {
        "/studio/nginx.conf": str(SHIPPED),
        "/etc/nginx/conf.d/default.conf": str(tmp_path / "site.conf"),
        "/studio/secrets": str(tmp_path),
    }.items():
        assert old in written
        written = written.replace(old, new)
    environment = {"STUDIO_NAME": "own.example", "PATH": "/usr/bin:/bin"}
    subprocess.run(["sh", "-c", written], env=environment, check=True)
    site = (tmp_path / "site.conf").read_text()
    assert "server_name own.example;" in site and "studio.example.org;" not in site
    (tmp_path / "site.conf").write_text(site.replace("/var/log/nginx", str(tmp_path)))
    (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path))
    asked = [NGINX, "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert "syntax is ok" in done.stderr, done.stderr
