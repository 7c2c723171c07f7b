"""The main job with the client that openapi-generator makes for Python."""

import os
import time

import slipway

name = os.environ["NAME"]
configuration = slipway.Configuration(host=os.environ["SLIPWAY_URL"], access_token=os.environ["SLIPWAY_TOKEN"])
client = slipway.ApiClient(configuration)


def follow(run: slipway.PipelineRun) -> str:
    while run.status.state in ("QUEUED", "PENDING", "RUNNING"):
        time.sleep(0.2)
        run = slipway.PipelinesApi(client).pipeline_view(run.pipeline_id)
    return run.status.state.value


owner = slipway.MeApi(client).me_view().id
team = slipway.TeamCreate(id=name, displayName=name, ownerIds=[owner])
print("team", follow(slipway.TeamsApi(client).team_create(team)))
app = slipway.QuickstartApplicationCreate(id=name, teamId=name, template="node-http-api")
print("app", follow(slipway.QuickstartApi(client).quickstart_application_create(app)))

services = slipway.ServicesApi(client)
status = services.service_view(name, "development", name).status
print("service", status.health.value, status.url)
listed = slipway.ApplicationsApi(client).application_summary_list(team=[name, "nobody"])
print("apps", *(app.id for app in listed.content))
planned = services.service_activation(name, "development", name, slipway.ServiceActivationRequest(active=False), dry_run=True)
print("plan", *(step.code for step in planned.actual_instance.steps))

secrets = slipway.SecretGroupsApi(client)
entry = slipway.SecretGroupCreateEntriesInner(key="TOKEN", value="of a client")
group = slipway.SecretGroupCreate(name="client-secrets", entries=[entry])
print("group", secrets.secret_group_create(name, "development", group).name)
try:
    secrets.secret_group_create(name, "development", group)
except slipway.ApiException as refused:
    # Its generator renames `field`.
    print("refused", refused.status, refused.data.errors[0].var_field, refused.data.errors[0].code)
