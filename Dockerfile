# syntax=docker/dockerfile:1
# `docker build .` makes the image for Docker, which runs as user 1000; `--target app` makes the one for the Home Assistant app, which runs as
# root, since the Supervisor keeps an app's files for root. Only the first stage runs anything, on the platform of the machine that builds, so
# that images for other platforms need no emulation.

# Given by the builder; buildah asks for its name here.
ARG TARGETARCH

FROM --platform=$BUILDPLATFORM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/build.ts && mkdir /data

FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS runtime
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="heating2mqtt" \
      org.opencontainers.image.description="Viessmann heating (ViCare) on MQTT: values, weekly schedules, a web page" \
      org.opencontainers.image.url="https://github.com/heating2mqtt/heating2mqtt" \
      org.opencontainers.image.source="https://github.com/heating2mqtt/heating2mqtt" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# Compiled code is kept in /tmp, which is there where all else is read-only.
ENV NODE_ENV=production \
    HEATING2MQTT_DATA_DIR=/data \
    XDG_CACHE_HOME=/tmp
COPY --from=build /build/dist/ /app/
# Settings are looked for in config/local.yaml under the working folder, that is /config/local.yaml.
WORKDIR /
# The page, served where web.password is set, and while there are no settings.
EXPOSE 8427
# Asked every 3 seconds until the first answer, so that nobody waits a minute for a start; it fails only where the bridge is stuck.
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s --start-interval=3s --retries=3 \
  CMD ["node", "/app/heating2mqtt.js", "check", "--health"]
ENTRYPOINT ["node", "/app/heating2mqtt.js"]
CMD ["run"]

# What Home Assistant calls the platforms.
FROM runtime AS app-amd64
LABEL io.hass.arch="amd64"
FROM runtime AS app-arm64
LABEL io.hass.arch="aarch64"

# hadolint ignore=DL3006
FROM app-$TARGETARCH AS app
ARG VERSION=dev
LABEL io.hass.type="app" \
      io.hass.version="$VERSION"
# hadolint ignore=DL3002
USER 0

FROM runtime AS default
COPY --from=build --chown=1000:1000 /data/ /data/
USER 1000
VOLUME ["/config", "/data"]
