/** Public interface of the pipeline entity. */
export { PassingPipeline } from './PassingPipeline.tsx';
export { failedStepOf, isUndoing, progressText } from './pipeline-progress.ts';
export { revisionNumber } from './pipeline-title.ts';
export { RerunButton } from './RerunButton.tsx';
export { sayEnd } from './run-follower.ts';
export { toastRun } from './toast-run.ts';
export { usePipelineRun } from './use-pipeline-run.ts';
