# As in the official image: while the database is created, a server answers on the Unix socket only; then the real one starts.
set -Eeuo pipefail
export PGDATA=/var/lib/postgresql/18/docker
as() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -m 700 /var/lib/postgresql/18 "$PGDATA"
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres /tmp/password
  as initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C.UTF-8
  rm /tmp/password
  as pg_ctl --wait --options="-c listen_addresses='' -c unix_socket_directories=/tmp" start
  as psql --host=/tmp --username="$POSTGRES_USER" --dbname=postgres --command="create database \"$POSTGRES_DB\""
  as pg_ctl --wait --mode=fast stop
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
