# A Debian that its own systemd started, with Node where the packages of nodejs.org put it, and nothing of Tradewind.
FROM tradewind-test/bookworm
RUN apt-get update && apt-get install -y --no-install-recommends systemd systemd-sysv dbus && systemctl mask console-getty
COPY node /usr/bin/node
COPY npm /usr/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/bin/npx \
  && mkdir -p /usr/etc && echo cafile=/etc/ssl/certs/ca-certificates.crt >/usr/etc/npmrc
# Debian's unit of Redis wants a namespace of users, which not every kernel has.
RUN mkdir -p /etc/systemd/system/redis-server.service.d \
  && printf '[Service]\nPrivateUsers=false\n' >/etc/systemd/system/redis-server.service.d/container.conf
STOPSIGNAL SIGRTMIN+3
CMD ["/sbin/init"]
