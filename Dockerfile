# An image of Cumulet:
#
#   docker build -t cumulet .
#   docker run --rm -p 6060:6060 -e CUMULET_ADMIN_PASSWORD=... -v cumulet:/var/lib/cumulet cumulet
#
# BASE needs Node.js 20.19 or newer and nothing else, not even a shell. BUILD_BASE also needs npm.
# docs/guides/containers.md explains the rest.
ARG BUILD_BASE=node:22-bookworm-slim
ARG BASE=node:22-bookworm-slim

FROM ${BUILD_BASE} AS build
# The registry to install from, by default that of npm, and a file in BUILD_BASE with its authority,
# for a registry of your own.
ARG NPM_CONFIG_REGISTRY
ARG NODE_EXTRA_CA_CERTS
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-progress --loglevel=error
COPY . .
# Native code of other platforms, and its source, stay behind.
RUN node pack.mjs /packages \
  && npm install --prefix /image/opt/cumulet --ignore-scripts --no-package-lock --loglevel=error \
    /packages/cumulet-*.tgz \
  && cd /image/opt/cumulet/node_modules/@photostructure/sqlite \
  && rm -r src \
  && find prebuilds -mindepth 1 -maxdepth 1 ! -name "linux-$(node -p process.arch)" \
    -exec rm -r {} + \
  && mkdir -p /image/usr/local/bin /state \
  && ln -s /opt/cumulet/node_modules/cumulet/dist/main.js /image/usr/local/bin/cumulet

FROM ${BASE}
COPY --from=build /image /
# A user without a name, because a base may have any users.
COPY --from=build --chown=10001:10001 /state /var/lib/cumulet
USER 10001:10001
WORKDIR /var/lib/cumulet
VOLUME /var/lib/cumulet
ENV HOME=/var/lib/cumulet \
  CUMULET_HOST=0.0.0.0 \
  CUMULET_DATABASE=sqlite:/var/lib/cumulet \
  OS_CACERT=/var/lib/cumulet/tls/ca.pem
EXPOSE 6060
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "/usr/local/bin/cumulet", "status"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "/usr/local/bin/cumulet"]
CMD ["start"]
