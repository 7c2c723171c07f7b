/** The services' door. */
export { serviceChangeRoutes } from './change.routes.ts';
export { creationPipelines } from './creation.pipeline.ts';
export { buildCommit, type BuildInput } from './build.steps.ts';
export { isCurrentCreation, rememberCreation, reserveService, setServiceState, whileCurrent } from './creation.ts';
export { servicesOnImage } from './image-repository.ts';
export { imageRepository, rolloutSteps, type RolloutInput, type RolloutState } from './rollout.steps.ts';
export { recordOutcome } from './record-outcome.ts';
export { servicePipelines, type ServiceEngines, type ServicePipelines } from './services.pipeline.ts';
export type { OpenSecrets } from './mask-secrets.ts';
export { redeployService } from './redeploy.ts';
export { serviceAccessRoutes } from './access.routes.ts';
export { serviceRoutes } from './services.routes.ts';
export { serviceRow, serviceSubject, type ServiceKey, type ServiceLinks } from './services.sql.ts';
export { startServicePipeline, type ServiceDeps } from './services.ts';
export { ImageDeployer } from './image-deployer.ts';
export { PushDeployer } from './push-deployer.ts';
