# Stands in for the official node image: the same Debian, the Node of the npm registry, npm, and the user "node".
FROM tradewind-test/bookworm
COPY node /usr/local/bin/node
# The authorities of the machine: some networks put a certificate of their own in front of the registry.
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN mkdir -p /usr/local/etc && echo cafile=/etc/ssl/certs/ca-certificates.crt >/usr/local/etc/npmrc
COPY npm /usr/local/lib/node_modules/npm
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
CMD ["node"]
