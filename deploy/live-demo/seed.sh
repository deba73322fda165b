#!/usr/bin/env bash
# Fills a new installation for a live demo and keeps it as the snapshot that every night returns to. Run it once, before
# LIVE_DEMO is set. Needs DATABASE_URL, DEMO_EMAIL and DEMO_PASSWORD; TRADEWIND_URL and SNAPSHOT have defaults.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
api=${TRADEWIND_URL:-http://127.0.0.1:8080}/api
snapshot=${SNAPSHOT:-demo.backup}
cookies=$(mktemp)
trap 'rm -f "$cookies"' EXIT

# The answer of one request; what is refused ends the script with the words of the api.
call() {
  local answer
  if ! answer=$(curl --silent --show-error --fail-with-body --cookie "$cookies" --cookie-jar "$cookies" \
    --header 'x-tradewind-client: 1' --header 'content-type: application/json' "$@"); then
    echo "$answer" >&2
    return 1
  fi
  echo "$answer"
}

# Through a pipe, because every user of the machine sees the arguments of a program; Node escapes quotes.
: "${DEMO_EMAIL:?set DEMO_EMAIL}" "${DEMO_PASSWORD:?set DEMO_PASSWORD}"
export DEMO_EMAIL DEMO_PASSWORD
node -p 'JSON.stringify({ email: process.env.DEMO_EMAIL, password: process.env.DEMO_PASSWORD })' |
  call --data @- "$api/auth/sign-up" >/dev/null
accounts=$(call "$api/accounts")
[[ $accounts =~ \"id\":\"([^\"]+)\" ]] || { echo "There is no account to trade on: $accounts" >&2; exit 1; }
account=${BASH_REMATCH[1]}

while read -r profile; do
  call --data "{\"accountId\":\"$account\",${profile#\{}" "$api/profiles" >/dev/null
done <deploy/live-demo/profiles.jsonl

node cli/tradewind.js backup --to "$snapshot"
