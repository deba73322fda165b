# Stands in for the official valkey image, which turns the protected mode off: the network of Compose is its protection.
FROM tradewind-test/trixie
RUN mkdir -p /data && chown valkey /data
USER valkey
WORKDIR /data
ENTRYPOINT ["sh", "-c", "exec \"$@\" --protected-mode no", "--"]
CMD ["valkey-server"]
