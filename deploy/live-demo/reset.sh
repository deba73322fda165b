#!/usr/bin/env bash
# Puts a live demo back to its snapshot, while it runs: a restore freezes trading and takes its place in one transaction.
# Needs the DATABASE_URL of the demo; TRADEWIND_URL and SNAPSHOT have defaults. For cron or a timer, once a night.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
node cli/tradewind.js restore --from "${SNAPSHOT:-demo.backup}"
# The restore leaves the kill switch on; in a demo it is released without signing in.
curl --silent --show-error --fail-with-body --retry 10 --retry-all-errors --request PUT \
  --header 'x-tradewind-client: 1' --header 'content-type: application/json' --data '{"engaged":false}' \
  "${TRADEWIND_URL:-http://127.0.0.1:8080}/api/kill-switch"
