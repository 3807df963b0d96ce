# syntax=docker/dockerfile:1
# Each step can be run by hand in a checkout; only the base images come from outside.

FROM node:26.10-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/build.ts

FROM node:26.10-slim
ENV NODE_ENV=production \
    HEATING2MQTT_DATA_DIR=/data
COPY --from=build /build/dist/ /app/
RUN mkdir /data && chown node:node /data
USER node
# Settings are looked for in config/local.yaml under the working folder, that is /config/local.yaml.
WORKDIR /
VOLUME ["/config", "/data"]
# The page, served where web.password is set.
EXPOSE 8427
# Longer than a start against a slow platform; then a bridge that reaches neither broker nor platform is unhealthy.
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s --retries=3 CMD ["node", "/app/heating2mqtt.js", "check", "--health"]
ENTRYPOINT ["node", "/app/heating2mqtt.js"]
CMD ["run"]
