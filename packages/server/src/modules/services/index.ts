/** The services' public API. */
export { serviceChangeRoutes } from './change.routes.ts';
export { creationPipelines } from './pipelines/creation.pipeline.ts';
export { buildCommit } from './pipelines/build.steps.ts';
export { rememberCreation, reserveService, setServiceState } from './creation-guard.ts';
export { imageRepository, servicesOnImage } from './image-repository.ts';
export {
  builtImage,
  createRevision,
  findImage,
  giveRevisionUp,
  shiftBack,
  shiftTraffic,
  startNew,
  stopNew,
  validateService,
} from './pipelines/rollout.steps.ts';
export type { RolloutInput, RolloutState } from './pipelines/rollout.steps.ts';
export { recordOutcome, requireRow, serviceOf, servicePipeline, type ServiceContext, type StepRow } from './pipelines/service-pipeline.ts';
export { servicePipelines, type ServiceEngines, type ServicePipelines } from './pipelines/services.pipeline.ts';
export type { OpenSecrets } from './diagnosis/mask-secrets.ts';
export { redeployService } from './redeploy.ts';
export { serviceAccessRoutes } from './access.routes.ts';
export { serviceRoutes } from './services.routes.ts';
export { serviceRow, serviceSubject, type ServiceKey, type ServiceLinks } from './services.sql.ts';
export { startServicePipeline, type ServiceDeps } from './service-context.ts';
export { ImageDeployer } from './repository/image-deployer.ts';
export { PushDeployer } from './repository/push-deployer.ts';
