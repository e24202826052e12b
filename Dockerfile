# One file, two images: the site and its general worker (EXTRAS empty), and the training worker (EXTRAS=train,
# with PyTorch). docs/how-to/production.md says how they work together.

FROM python:3.11-slim AS build
ARG EXTRAS=""
WORKDIR /quintet
COPY pyproject.toml constraints.txt ./
COPY scripts/environment.py scripts/
# Packages are compiled here, once: the containers store nothing beside the sources.
ENV UV_COMPILE_BYTECODE=1
RUN python scripts/environment.py ${EXTRAS}

FROM python:3.11-slim
RUN useradd --uid 10001 --home-dir /var/lib/quintet --create-home quintet
WORKDIR /quintet
COPY --from=build /quintet/.venv .venv
COPY . .
ENV PATH=/quintet/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    QUINTET_VAR=/var/lib/quintet
USER quintet
EXPOSE 8000
# The proxy closes idle connections first (deploy/nginx.conf). No query string in the log: platforms put people's ids there.
CMD ["python", "-m", "gunicorn", "annotation_site.wsgi", "--bind", "0.0.0.0:8000", \
     "--worker-class", "gthread", "--workers", "4", "--threads", "8", "--keep-alive", "130", \
     "--no-control-socket", "--access-logfile", "-", \
     "--access-logformat", "%(h)s %(t)s \"%(m)s %(U)s %(H)s\" %(s)s %(b)s %(L)s"]
