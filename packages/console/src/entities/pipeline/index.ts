/** What other entities may use of pipelines. */
export { failedStepOf, isUndoing, progressText } from './pipeline-progress.ts';
export { revisionNumber } from './pipeline-title.ts';
export { RerunButton } from './RerunButton.tsx';
export { usePipelineRun } from './use-pipeline-run.ts';
