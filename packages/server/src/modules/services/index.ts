/** The services' door. */
export { serviceChangeRoutes } from './change.routes.ts';
export { creationPipelines } from './pipelines/creation.pipeline.ts';
export { buildCommit, type BuildInput } from './pipelines/build.steps.ts';
export { isCurrentCreation, rememberCreation, reserveService, setServiceState, whileCurrent } from './creation.ts';
export { servicesOnImage } from './image-repository.ts';
export { imageRepository, rolloutSteps, type RolloutInput, type RolloutState } from './pipelines/rollout.steps.ts';
export { recordOutcome } from './record-outcome.ts';
export { servicePipelines, type ServiceEngines, type ServicePipelines } from './pipelines/services.pipeline.ts';
export type { OpenSecrets } from './diagnosis/mask-secrets.ts';
export { redeployService } from './redeploy.ts';
export { serviceAccessRoutes } from './access.routes.ts';
export { serviceRoutes } from './services.routes.ts';
export { serviceRow, serviceSubject, type ServiceKey, type ServiceLinks } from './services.sql.ts';
export { startServicePipeline, type ServiceDeps } from './services.ts';
export { ImageDeployer } from './repository/image-deployer.ts';
export { PushDeployer } from './repository/push-deployer.ts';
