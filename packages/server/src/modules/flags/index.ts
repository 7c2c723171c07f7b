/** The public interface of feature flags. */
export { flagArea } from './flags.area.ts';
