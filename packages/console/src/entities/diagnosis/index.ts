/** Public interface of the diagnosis entity. */
export { PipelineFailure } from './PipelineFailure.tsx';
