/** The services area: routes, pipelines, and automatic deploys. */
import { secretGroupRestart } from '@slipway/contract/secret/secret-group.ts';
import { handle, type Caller } from '#kernel/http/handle.ts';
import type { Made } from '#kernel/http/write-claim.ts';
import type { AreaContext } from '#modules/resources/index.ts';
import { createVault, ensureEdgeCredential, resolveSecrets, restartServices } from '#modules/secret-groups/index.ts';
import { serviceAccessRoutes } from './access.routes.ts';
import { serviceChangeRoutes } from './change.routes.ts';
import { approvalRoutes } from './approvals/approval.routes.ts';
import { productionChangeKind } from './approvals/production-changes.ts';
import { creationPipelines } from './pipelines/creation.pipeline.ts';
import { servicePipelines, type ServiceEngines } from './pipelines/services.pipeline.ts';
import { redeployService } from './redeploy.ts';
import { ImageDeployer } from './repository/image-deployer.ts';
import { PushDeployer } from './repository/push-deployer.ts';
import { serviceRoutes } from './services.routes.ts';
import type { ServiceKey, ServiceLinks } from './services.sql.ts';

export interface ServiceOptions {
  /** Seconds that instances may need to become healthy, in addition to their probes' delays. Defaults to 60. */
  readonly patienceSeconds?: number;
}
type Context = AreaContext & ServiceOptions;

const secretsOf = ({ database: { db, pool }, adapters: { keys } }: Context) => ({ db, vault: createVault(pool, keys) });

type InGroup = { readonly params: { readonly app: string; readonly group: string }; readonly environment: ServiceKey['environment'] };
const groupOf = ({ params: { app, group }, environment }: InGroup) => ({ app, environment, group });
const pipelinesOf = (made: readonly Made[]): string[] => made.flatMap(({ pipelineId }) => pipelineId ?? []);

/** Returns the dependencies of the steps of service pipelines and quickstart. */
export const serviceEngines = (context: Context): ServiceEngines => {
  const { registry, source, runtime, builder } = context.adapters;
  const { patienceSeconds } = context;
  const secrets = secretsOf(context);
  return {
    db: context.database.db,
    registry,
    source,
    runtime,
    builder,
    secrets: (revision) => resolveSecrets(secrets, revision),
    ...(patienceSeconds === undefined ? {} : { patienceSeconds }),
    credentials: (key) => ensureEdgeCredential(secrets, key),
  };
};

const linksOf = ({ adapters: { registry, runtime }, publicUrl }: Context): ServiceLinks => ({
  url: runtime.url.bind(runtime),
  repositoryUrl: (app, name) => `${publicUrl}/git/${app}/${name}.git`,
  hosts: [publicUrl, `http://${registry.host}`].map((address) => new URL(address).hostname),
});

export const serviceArea = (context: Context) => {
  const { engine, log, requests } = context;
  const { builder, registry, runtime, signIn, source } = context.adapters;
  const engines = serviceEngines(context);
  const [pipelines, creation] = [servicePipelines(engines), creationPipelines(engines)];
  const deps = { db: engines.db, engine, requests, registry, source, links: linksOf(context), pipelines, creation };
  const secrets = secretsOf(context);
  const restarting = { ...secrets, redeploy: (by: Caller, key: ServiceKey) => redeployService(deps, by, key) };
  return {
    routes: [
      ...serviceRoutes(deps, runtime, engines.secrets),
      ...serviceChangeRoutes(deps),
      ...approvalRoutes(deps),
      ...serviceAccessRoutes({ ...secrets, tokens: signIn.serviceTokens }),
      handle(
        secretGroupRestart,
        (c) => restartServices(restarting, c.caller, groupOf(c), { only: c.body.services }),
        (c, made) => restartServices(restarting, c.caller, groupOf(c), { only: c.body.services, started: pipelinesOf(made) }),
      ),
    ],
    pipelines: [...Object.values(pipelines), ...Object.values(creation)],
    requestKinds: [productionChangeKind(deps)],
    tasks: [new PushDeployer(deps, source, log), new ImageDeployer(deps, log)],
    adapters: [source, builder],
  };
};
