# Epsilon Studio in a container. For CPU wheels of torch:
#   docker build --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cpu -t epsilon-studio .
# The default index carries CUDA wheels; run those with --gpus all.
#   docker run -p 127.0.0.1:8501:8501 -v epsilon-studio:/data epsilon-studio
# It answers to localhost; for a class add the name that the class types (or * for any):
#   -e STREAMLIT_SERVER_ALLOWED_HOSTS=studio.example.org
# A tag may become another image one day. Whoever wants to have the same one for ever names its digest, which
# `docker buildx imagetools inspect python:3.11-slim` tells (it was not to be had where this was written):
#   --build-arg BASE=python:3.11-slim@sha256:…
ARG BASE=python:3.11-slim
FROM ${BASE}

ARG TORCH_INDEX=https://pypi.org/simple

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    EPSILON_DATA_DIR=/data/datasets \
    EPSILON_RUNS_DIR=/data/runs

# tini reaps the worker's children and passes signals on
RUN apt-get update \
    && apt-get install -y --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 studio \
    && mkdir -p /data/datasets && mkdir -m 700 /data/runs \
    && chown -R studio:studio /data

WORKDIR /app

# First what changes least: the two large wheels from the chosen index; then everything else, each file by its
# hash, which requirements.lock tells (and how it is made); last what CUDA wheels of torch need of NVIDIA's, which
# follow torch and have no hashes here: with CPU wheels that is nothing. Of each step one index, or whichever of
# two has a package of some name would be trusted with it.
COPY requirements.txt assets/deploy/requirements.lock ./
RUN grep -E "^(torch|torchvision)==" requirements.txt > torch.txt \
    && pip install --no-deps --index-url "$TORCH_INDEX" -r torch.txt \
    && pip install --no-deps --require-hashes -r requirements.lock \
    && pip install --index-url "$TORCH_INDEX" -r torch.txt \
    && pip check

COPY LICENSE README.md app.py ./
COPY .streamlit .streamlit
COPY assets assets
COPY ldp_core ldp_core
COPY pages pages

USER studio
VOLUME /data
EXPOSE 8501

HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import os, urllib.request; path = os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); urllib.request.urlopen('http://localhost:8501/' + f'{path}/_stcore/health'.lstrip('/'), timeout=2)"]

ENTRYPOINT ["tini", "--"]
CMD ["streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", "--server.headless=true"]
