/** The teams' door. */
export { teamRoutes } from './teams.routes.ts';
export { teamScope } from './teams.sql.ts';
export { teamPipelines, type TeamPipelines } from './teams.pipeline.ts';
