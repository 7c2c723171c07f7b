#!/usr/bin/env bash
# From nothing to a running app over the API alone: creates an app from a template, follows its pipeline, calls its URL.
#
#   SLIPWAY_TOKEN=… examples/quickstart.sh [app] [team] [template]
#
# SLIPWAY_URL is the platform's address (default http://localhost:4000), SLIPWAY_TOKEN an API token. Templates:
# node-http-api, node-web, node-worker. Needs curl, and node to read JSON.
set -euo pipefail

platform=${SLIPWAY_URL:-http://localhost:4000}
platform=${platform%/}
: "${SLIPWAY_TOKEN:?set SLIPWAY_TOKEN to an API token}"
app=${1:-quickstart-$(date +%H%M%S)}
team=${2:-cranes}
template=${3:-node-http-api}

now_ms() { node -p 'Date.now()'; }

# json <expression over `it`>: reads JSON from standard input.
json() { node -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8")); const out = eval(process.argv[1]); if (out != null) console.log(out);' "$1"; }

# call <method> <path> [body]: prints the answer; ends the script, with the problem on standard error, when it is not a success.
call() {
  local method=$1 path=$2 body=${3:-} answer status
  local options=(--silent --show-error --max-time 30 --request "$method" --write-out '\n%{http_code}')
  [ -z "$body" ] || options+=(--header 'content-type: application/json' --data "$body")
  # The token goes through a file descriptor: arguments can be read by everybody on the machine.
  answer=$(curl "${options[@]}" --config <(printf 'header = "authorization: Bearer %s"\n' "$SLIPWAY_TOKEN") "$platform$path")
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [ "$status" -lt 200 ] || [ "$status" -ge 300 ]; then
    printf '%s %s answered %s\n%s\n' "$method" "$path" "$status" "$answer" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

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

shown=
deadline=$((SECONDS + 300))
while :; do
  steps=$(json 'it.status.steps.filter((step) => step.state !== "PENDING").map((step) => step.state.padEnd(10) + " " + step.name).join("\n")' <<<"$run")
  # What was not printed before is a change.
  grep --invert-match --line-regexp --fixed-strings --file=<(printf '%s\n' "$shown") <<<"$steps" || true
  shown=$steps
  case $(json 'it.status.state' <<<"$run") in
    COMPLETED) break ;;
    FAILED | CANCELED)
      json '"Pipeline " + it.status.state + ": " + (it.statusMessage ?? JSON.stringify(it.status.steps.find((step) => step.state === "FAILED")?.message))' <<<"$run" >&2
      exit 1
      ;;
  esac
  if [ "$SECONDS" -ge "$deadline" ]; then
    echo 'The pipeline did not end within five minutes.' >&2
    exit 1
  fi
  sleep 0.2
  run=$(call GET "/api/v1/pipelines/$pipeline")
done

service=$(call GET "/api/v1/apps/$app/development/services/$app")
url=$(json 'it.status.url' <<<"$service")
if [ -n "$url" ]; then
  printf 'GET %s\n' "$url"
  fetch "$url"
else
  echo 'The service runs; this template serves no URL.'
fi
printf 'Done in %s ms\n' "$(($(now_ms) - started))"
