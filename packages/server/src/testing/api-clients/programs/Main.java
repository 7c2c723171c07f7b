// The main job with the client that openapi-generator makes for Java.
import java.util.List;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Main {
  static final ApiClient client = new ApiClient();

  static PipelineState follow(PipelineRun run) throws Exception {
    var pipelines = new PipelinesApi(client);
    while (List.of(PipelineState.QUEUED, PipelineState.PENDING, PipelineState.RUNNING).contains(run.getStatus().getState())) {
      Thread.sleep(200);
      run = pipelines.pipelineView(run.getPipelineId(), null);
    }
    return run.getStatus().getState();
  }

  public static void main(String[] args) throws Exception {
    client.setBasePath(System.getenv("SLIPWAY_URL"));
    client.setBearerToken(System.getenv("SLIPWAY_TOKEN"));
    var name = System.getenv("NAME");
    var owner = new MeApi(client).meView().getId();
    var team = new TeamCreate().id(name).displayName(name).ownerIds(List.of(owner));
    System.out.println("team " + follow(new TeamsApi(client).teamCreate(team)));
    var app = new QuickstartApplicationCreate().id(name).teamId(name).template("node-http-api");
    System.out.println("app " + follow(new QuickstartApi(client).quickstartApplicationCreate(app)));

    var services = new ServicesApi(client);
    var status = services.serviceView(name, "development", name).getStatus();
    System.out.println("service " + status.getHealth() + " " + status.getUrl());
    var listed = new ApplicationsApi(client).applicationSummaryList(null, null, null, null, false, List.of(name, "nobody"), null);
    System.out.println("apps " + listed.getContent().stream().map(ApplicationSummary::getId).collect(Collectors.joining(" ")));
    var planned = services.serviceActivation(name, "development", name, new ServiceActivationRequest().active(false), true);
    System.out.println("plan " + planned.getPlan().getSteps().stream().map(PlanStepsInner::getCode).collect(Collectors.joining(" ")));

    var secrets = new SecretGroupsApi(client);
    var entry = new SecretGroupCreateEntriesInner().key("TOKEN").value("of a client");
    var group = new SecretGroupCreate().name("client-secrets").entries(List.of(entry));
    System.out.println("group " + secrets.secretGroupCreate(name, "development", group).getName());
    try {
      secrets.secretGroupCreate(name, "development", group);
    } catch (ApiException refused) {
      var error = ErrorObject.fromJson(refused.getResponseBody()).getErrors().get(0);
      System.out.println("refused " + refused.getCode() + " " + error.getField() + " " + error.getCode());
    }
  }
}
