/** What other entities may use of pipelines. */
export { revisionNumber } from './pipeline-title.ts';
export { usePipelineActions } from './use-pipeline-run.ts';
export { LifecycleNotice, type LifecycleNoticeProps } from './LifecycleNotice.tsx';
