/** What other entities may use of diagnosis. */
export { PipelineFailure } from './PipelineFailure.tsx';
