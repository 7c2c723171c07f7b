#!/usr/bin/env bash
# From nothing to a running app over the API alone: creates an app from a template, follows its pipeline, calls its URL.
#
#   SLIPWAY_TOKEN=… examples/quickstart.sh [app] [team] [template]
#
# The team of its default is one of the demo's. Templates: node-http-api, node-web, node-worker. Address and token: platform.sh.
set -euo pipefail

. "$(dirname "$0")/platform.sh"
app=${1:-quickstart-$(date +%H%M%S)}
team=${2:-terminal-operations}
template=${3:-node-http-api}

now_ms() { node -p 'Date.now()'; }

# fetch <url>: requests a service. Not every resolver knows *.localhost, so its address is given.
fetch() {
  local url=$1 host port
  host=${url#*://} host=${host%%/*}
  case $host in *:*) port=${host##*:} host=${host%:*} ;; *) port=80 ;; esac
  local options=(--silent --show-error --fail --max-time 10 --write-out '\nHTTP %{http_code}\n')
  case $host in *.localhost) options+=(--resolve "$host:$port:127.0.0.1") ;; esac
  curl "${options[@]}" "$url"
}

started=$(now_ms)
request=$(node -p 'const [id, teamId, template] = process.argv.slice(1); JSON.stringify({ id, displayName: id, teamId, template })' "$app" "$team" "$template")
run=$(call POST /api/v1/quickstart/applications "$request")
pipeline=$(json 'it.pipelineId' <<<"$run")
printf 'Creating %s from %s for team %s, pipeline %s\n' "$app" "$template" "$team" "$pipeline"

follow "$run"

service=$(call GET "/api/v1/apps/$app/development/services/$app")
url=$(json 'it.status.url' <<<"$service")
if [ -n "$url" ]; then
  printf 'GET %s\n' "$url"
  fetch "$url"
else
  echo 'The service runs; this template serves no URL.'
fi
printf 'Done in %s ms\n' "$(($(now_ms) - started))"
