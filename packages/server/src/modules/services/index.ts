/** Public API of the services module. */
export { approvingTeam } from './approvals/approval-rule.ts';
export { serviceSides } from './copy/service-sides.ts';
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
export type { ServiceEngines } from './pipelines/services.pipeline.ts';
export { serviceArea, serviceEngines, type ServiceOptions } from './services.area.ts';
export { serviceRow, serviceSubject, type ServiceKey, type ServiceLinks } from './services.sql.ts';
export { startServicePipeline, type ServiceDeps } from './service-context.ts';
export { tagMatcher } from './repository/tag-matcher.ts';
