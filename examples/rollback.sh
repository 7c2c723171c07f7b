#!/usr/bin/env bash
# A change of settings and the way back: plans the change, applies it, and rolls back to the revision that served before.
#
#   SLIPWAY_TOKEN=… examples/rollback.sh [app] [environment] [service]
#
# It sets one environment variable, which makes a new revision. Something must run already, as after quickstart.sh. Address and token:
# platform.sh.
set -euo pipefail
. "$(dirname "$0")/platform.sh"

app=${1:?the id of an app}
environment=${2:-development}
service=/api/v1/apps/$app/$environment/services/${3:-$app}

# plan <plan>: what a dry run answered, in a few lines.
plan() {
  json '[
    ...it.changes.map(({ label, before, after }) => "  " + label + ": " + JSON.stringify(before) + " → " + JSON.stringify(after)),
    ...it.consequences.map(({ code, context }) => "  " + code + " " + Object.values(context).join(", ")),
    "  Steps: " + it.steps.map(({ name }) => name).join(", "),
  ].join("\n")' <<<"$1"
}
serving() {
  local answer
  answer=$(call GET "$service") && json 'it.status.serving' <<<"$answer"
}

before=$(serving)
[ -n "$before" ] || { echo 'Nothing serves yet: there is nothing to go back to.' >&2; exit 1; }

# The settings are sent back as they were answered, but for one variable. `settingsVersion` keeps others' changes safe.
settings=$(call GET "$service/settings")
wanted=$(json '(() => {
  const { githubRepositoryName, active, spec, settingsVersion } = it;
  const others = spec.template.envVars.filter(({ name }) => name !== "RELEASED_AT");
  spec.template.envVars = [...others, { name: "RELEASED_AT", source: "STATIC", value: args[0] }];
  return JSON.stringify({ githubRepositoryName, active, spec, settingsVersion });
})()' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" <<<"$settings")

echo 'The change would do this:'
plan "$(call PUT "$service?dryRun=true" "$wanted")"
echo 'Applying it'
follow "$(call PUT "$service" "$wanted")"
printf '%s serves, %s did before\n\n' "$(serving)" "$before"

back=$(node -p 'const [revision, reason] = process.argv.slice(1); JSON.stringify({ revision, reason })' "$before" 'Trying the way back')
echo 'Going back would do this:'
plan "$(call POST "$service/rollbacks?dryRun=true" "$back")"
echo 'Rolling back'
follow "$(call POST "$service/rollbacks" "$back")"
printf '%s serves: a new revision with what %s had\n' "$(serving)" "$before"
