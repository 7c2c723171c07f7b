/** The area of streams: one write that creates a schema, a topic and an account. */
import type { AreaContext, AreaOf } from '#modules/resources/index.ts';
import { accountDeps, type AccountOptions } from '../access.area.ts';
import { accountEntity } from '../accounts/account-entity.ts';
import { schemaEntity } from '../schemas/schema-entity.ts';
import { topicEntity } from '../topics/topic-entity.ts';
import { streamPipeline } from './stream-pipeline.ts';
import { streamRoutes } from './stream.routes.ts';

export const streamArea = (context: AreaContext & AccountOptions): ReturnType<AreaOf> => {
  const { engine, adapters } = context;
  const deps = { ...accountDeps(context), registry: adapters.schemaRegistry, engine };
  const entities = { schema: schemaEntity(deps), topic: topicEntity(deps), account: accountEntity(deps) };
  const { definition, stepsWithout } = streamPipeline({ ...deps, entities });
  return { routes: streamRoutes({ ...deps, entities, definition, stepsWithout }), pipelines: [definition] };
};
