/** What other entities may use of pipelines. */
export { revisionNumber } from './pipeline-title.ts';
export { usePipelineDeeds } from './use-pipeline-run.ts';
