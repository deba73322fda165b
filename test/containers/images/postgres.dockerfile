# Stands in for the official postgres image: the PostgreSQL that Tradewind embeds, and pg_isready of Debian.
FROM tradewind-test/bookworm
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client
COPY native /usr/local/pgsql
COPY postgres.sh /usr/local/bin/entrypoint
# npm leaves out the links that the libraries are found by.
RUN ldconfig -n /usr/local/pgsql/lib && groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
  && mkdir -p /var/lib/postgresql && chown postgres /var/lib/postgresql
ENV PATH=/usr/local/pgsql/bin:$PATH
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["bash", "/usr/local/bin/entrypoint"]
CMD ["postgres"]
