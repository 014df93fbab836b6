# One image for web, beat and workers; compose chooses the command. No secret is built in.
FROM python:3.13-slim-bookworm AS build
COPY requirements.lock /tmp/
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -r /tmp/requirements.lock

FROM python:3.13-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /data headroom
COPY --from=build /venv /venv
COPY . /app
WORKDIR /app
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HEADROOM_DATA=/data
# Static files are the same for every environment; the key only lets the settings load and signs nothing.
RUN HEADROOM_MODE=test python manage.py collectstatic --noinput
USER headroom
VOLUME /data
EXPOSE 8000
