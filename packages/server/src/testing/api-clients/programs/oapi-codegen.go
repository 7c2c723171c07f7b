// The main job with the client that oapi-codegen makes.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"example/slipway"
)

var client *slipway.ClientWithResponses
var ctx = context.Background()

// Ends the program on an error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func follow(run *slipway.PipelineRun) slipway.PipelineState {
	for {
		switch state := run.Status.State; state {
		case slipway.PipelineStateQUEUED, slipway.PipelineStatePENDING, slipway.PipelineStateRUNNING:
			time.Sleep(200 * time.Millisecond)
			run = must(client.PipelineViewWithResponse(ctx, run.PipelineId, nil)).JSON200
		default:
			return state
		}
	}
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SLIPWAY_TOKEN"))
	return nil
}

func main() {
	name := os.Getenv("NAME")
	client = must(slipway.NewClientWithResponses(os.Getenv("SLIPWAY_URL"), slipway.WithRequestEditorFn(authorize)))

	owner := must(client.MeViewWithResponse(ctx)).JSON200.Id
	team := slipway.TeamCreate{Id: name, DisplayName: name, OwnerIds: []string{owner}}
	fmt.Println("team", follow(must(client.TeamCreateWithResponse(ctx, team)).JSON202))
	app := slipway.QuickstartApplicationCreate{Id: name, TeamId: name, Template: "node-http-api"}
	fmt.Println("app", follow(must(client.QuickstartApplicationCreateWithResponse(ctx, app)).JSON202))

	status := must(client.ServiceViewWithResponse(ctx, name, "development", name)).JSON200.Status
	fmt.Println("service", status.Health, *status.Url)
	fmt.Print("apps")
	filter := slipway.ApplicationSummaryListParams{Team: &[]string{name, "nobody"}}
	for _, app := range must(client.ApplicationSummaryListWithResponse(ctx, &filter)).JSON200.Content {
		fmt.Print(" ", app.Id)
	}
	isDryRun := true
	dryRun := slipway.ServiceActivationParams{DryRun: &isDryRun}
	activation := slipway.ServiceActivationJSONRequestBody{Active: false}
	planned := must(client.ServiceActivationWithResponse(ctx, name, "development", name, &dryRun, activation)).JSON200
	fmt.Print("\nplan")
	for _, step := range must(planned.AsPlan()).Steps {
		fmt.Print(" ", step.Code)
	}

	group := slipway.SecretGroupCreate{Name: "client-secrets"}
	group.Entries = append(group.Entries, struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}{Key: "TOKEN", Value: "of a client"})
	fmt.Println("\ngroup", must(client.SecretGroupCreateWithResponse(ctx, name, "development", group)).JSON201.Name)
	problem := must(client.SecretGroupCreateWithResponse(ctx, name, "development", group)).ApplicationproblemJSON409
	fmt.Println("refused", problem.Status, *problem.Errors[0].Field, problem.Errors[0].Code)
}
