/** Public interface of the pipeline entity. */
export { failedStepOf, isUndoing, progressText } from './pipeline-progress.ts';
export { revisionNumber } from './pipeline-title.ts';
export { RerunButton } from './RerunButton.tsx';
export { usePipelineRun } from './use-pipeline-run.ts';
