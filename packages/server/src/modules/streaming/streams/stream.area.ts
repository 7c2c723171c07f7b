/** The area of streams: one write that creates a schema, a topic and an account. */
import type { AreaContext, AreaOf } from '#modules/resources/index.ts';
import { accountDeps, type AccountOptions } from '../access.area.ts';
import { accountEntity } from '../accounts/account-entity.ts';
import { schemaEntity } from '../schemas/schema-entity.ts';
import { topicEntity } from '../topics/topic-entity.ts';
import { streamPipeline } from './stream-pipeline.ts';
import { streamRoutes } from './stream.routes.ts';

/** Returns the dependencies of the pipelines of streams, also as part of other pipelines. */
export const streamDeps = (context: AreaContext & AccountOptions) => {
  const deps = { ...accountDeps(context), registry: context.adapters.schemaRegistry, engine: context.engine };
  return { ...deps, entities: { schema: schemaEntity(deps), topic: topicEntity(deps), account: accountEntity(deps) } };
};

export const streamArea = (context: AreaContext & AccountOptions): ReturnType<AreaOf> => {
  const deps = streamDeps(context);
  const { definition, stepsWithout } = streamPipeline(deps);
  return { routes: streamRoutes({ ...deps, definition, stepsWithout }), pipelines: [definition] };
};
