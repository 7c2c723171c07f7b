/** The public interface of teams. */
export { teamArea } from './teams.ts';
