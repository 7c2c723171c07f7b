/** The public interface of teams. */
export { teamRoles } from './members.sql.ts';
export { teamArea } from './teams.ts';
