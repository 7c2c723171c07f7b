// The main job with the client that openapi-generator makes for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example/slipway"
)

var client *slipway.APIClient
var ctx = context.WithValue(context.Background(), slipway.ContextAccessToken, os.Getenv("SLIPWAY_TOKEN"))

// Ends the program on an error.
func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func follow(run *slipway.PipelineRun) slipway.PipelineState {
	for {
		switch state := run.Status.State; state {
		case slipway.PIPELINESTATE_QUEUED, slipway.PIPELINESTATE_PENDING, slipway.PIPELINESTATE_RUNNING:
			time.Sleep(200 * time.Millisecond)
			run = must(client.PipelinesAPI.PipelineView(ctx, run.PipelineId).Execute())
		default:
			return state
		}
	}
}

func main() {
	name := os.Getenv("NAME")
	configuration := slipway.NewConfiguration()
	configuration.Servers = slipway.ServerConfigurations{{URL: os.Getenv("SLIPWAY_URL")}}
	client = slipway.NewAPIClient(configuration)

	me := must(client.MeAPI.MeView(ctx).Execute())
	team := slipway.NewTeamCreate(name, name, []string{me.Id})
	fmt.Println("team", follow(must(client.TeamsAPI.TeamCreate(ctx).TeamCreate(*team).Execute())))
	app := slipway.NewQuickstartApplicationCreate(name, name, "node-http-api")
	started := must(client.QuickstartAPI.QuickstartApplicationCreate(ctx).QuickstartApplicationCreate(*app).Execute())
	fmt.Println("app", follow(started))

	status := must(client.ServicesAPI.ServiceView(ctx, name, "development", name).Execute()).Status
	fmt.Println("service", status.Health, status.GetUrl())
	fmt.Print("apps")
	listed := must(client.ApplicationsAPI.ApplicationSummaryList(ctx).Team([]string{name, "nobody"}).Execute())
	for _, app := range listed.Content {
		fmt.Print(" ", app.Id)
	}
	request := slipway.NewServiceActivationRequest(false)
	activation := client.ServicesAPI.ServiceActivation(ctx, name, "development", name).ServiceActivationRequest(*request)
	fmt.Print("\nplan")
	for _, step := range must(activation.DryRun(true).Execute()).Plan.Steps {
		fmt.Print(" ", step.Code)
	}

	entries := []slipway.SecretGroupCreateEntriesInner{*slipway.NewSecretGroupCreateEntriesInner("TOKEN", "of a client")}
	create := client.SecretGroupsAPI.SecretGroupCreate(ctx, name, "development").
		SecretGroupCreate(*slipway.NewSecretGroupCreate("client-secrets", entries))
	fmt.Println("\ngroup", must(create.Execute()).Name)
	_, answer, err := create.Execute()
	var refused *slipway.GenericOpenAPIError
	if errors.As(err, &refused) {
		problem := refused.Model().(slipway.ErrorObject)
		fmt.Println("refused", answer.StatusCode, problem.Errors[0].GetField(), problem.Errors[0].Code)
	}
}
