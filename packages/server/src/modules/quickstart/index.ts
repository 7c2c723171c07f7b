/** The quickstart's door. */
export { quickstartPipelines } from './quickstart.pipeline.ts';
export { quickstartRoutes } from './quickstart.routes.ts';
export type { QuickstartDeps } from './quickstart.ts';
export { templateFiles, type TemplateFiles } from './templates.ts';
