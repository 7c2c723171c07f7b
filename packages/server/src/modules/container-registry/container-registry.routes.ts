/** The area of the container registry. */
import type { AreaOf } from '#modules/resources/index.ts';
import { imageRoutes } from './images/image.routes.ts';
import { projectRoutes } from './project/project.routes.ts';
import { retentionTask } from './retention/retention-task.ts';
import { robotsPart } from './robots/index.ts';
import { webhooksPart } from './webhooks/index.ts';

export const containerRegistryArea: AreaOf = (context) => {
  const {
    database: { db },
    engine,
    adapters: { registry },
    log,
  } = context;
  const project = projectRoutes({ db, engine, registry });
  const [robots, webhooks] = [robotsPart(context), webhooksPart(context)];
  return {
    routes: [...project.routes, ...imageRoutes({ db, registry }), ...robots.routes, ...webhooks.routes],
    pipelines: project.pipelines,
    tasks: [retentionTask({ db, registry, log }), ...robots.tasks, ...webhooks.tasks],
    adapters: [registry],
  };
};
