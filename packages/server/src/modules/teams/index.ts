/** The teams' door. */
export { teamRoutes } from './teams.routes.ts';
export { teamPipelines, type TeamPipelines } from './teams.pipeline.ts';
