# What the examples share: calls of the API, and following a pipeline. Read by the others, not run.
#
# SLIPWAY_URL is the platform's address (default http://localhost:4000), SLIPWAY_TOKEN an API token. Needs curl, and node to read JSON.

platform=${SLIPWAY_URL:-http://localhost:4000}
platform=${platform%/}
: "${SLIPWAY_TOKEN:?set SLIPWAY_TOKEN to an API token}"

# json <expression over `it`> [argument…]: reads JSON from standard input; the arguments are `args`.
json() {
  node -e 'const it = JSON.parse(require("fs").readFileSync(0, "utf8")); const args = process.argv.slice(2); const out = eval(process.argv[1]); if (out != null) console.log(out);' "$@"
}

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

# follow <run>: prints the steps of a pipeline run as they change; fails unless it completes.
follow() {
  local run=$1 pipeline steps shown='' deadline=$((SECONDS + 300))
  pipeline=$(json 'it.pipelineId' <<<"$run")
  while :; do
    steps=$(json 'it.status.steps.filter((step) => step.state !== "PENDING").map((step) => step.state.padEnd(10) + " " + step.name).join("\n")' <<<"$run")
    # What was not printed before is a change.
    grep --invert-match --line-regexp --fixed-strings --file=<(printf '%s\n' "$shown") <<<"$steps" || true
    shown=$steps
    case $(json 'it.status.state' <<<"$run") in
      COMPLETED) return 0 ;;
      FAILED | CANCELED)
        json '"Pipeline " + it.status.state + ": " + (it.statusMessage ?? JSON.stringify(it.status.steps.find((step) => step.state === "FAILED")?.message))' <<<"$run" >&2
        return 1
        ;;
    esac
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo 'The pipeline did not end within five minutes.' >&2
      return 1
    fi
    sleep 0.2
    run=$(call GET "/api/v1/pipelines/$pipeline")
  done
}
