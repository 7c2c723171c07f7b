/** From an entity to its area: the handlers of its routes and its pipelines. An area can leave out a handler, or put its own there. */
import type { EntityView } from './entity.ts';
import type { Resource } from '@slipway/contract/kernel/resource.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { Problem } from '#kernel/problem.ts';
import { awaitRun, runFor, type PipelineEngine } from '#modules/pipelines/index.ts';
import type { Db } from '#db/database.ts';
import type { Area } from './area.ts';
import type { AnyEntity, ListQuery, Names } from './entity.ts';
import { entityPipelines } from './entity-pipelines.ts';
import { entityBy, entityPage } from './entity-rows.ts';
import { createEntity, deleteEntity, updateEntity } from './entity-writes.ts';

type Call = Context<RouteShape>;
/** The mount parsed them by the route's own schemas before. */
const partsOf = (c: Call) => ({
  names: c.params as Names,
  wanted: c.body as unknown,
  query: c.query as unknown as ListQuery,
  caller: c.caller as Caller,
});
interface Write {
  /** Of what is written: also of what is made now. */
  readonly names: (c: Call) => Names;
  /** Answers the pipeline. */
  readonly run: (c: Call) => Promise<string>;
}

/** The same for both versions of the specification's paths: how a write answers differs. */
const handlers = (
  { db, entity }: { db: Db; entity: AnyEntity },
  routes: Omit<Resource, 'shape'>,
  writes: Record<'create' | 'update' | 'remove', Write>,
  answer: (c: Call, pipelineId: string, written: () => Promise<unknown>) => Promise<unknown>,
): Handler[] => {
  const one = async (names: Names, caller: Caller): Promise<EntityView> => {
    const view = await entityBy(db, entity, names, caller);
    if (!view) throw new Problem(entity.resource.shape.codes.missing);
    return view;
  };
  const writing = (route: RouteShape, write: Write): Handler => {
    const answered = (c: Call, pipelineId: string) =>
      answer(c, pipelineId, async () => (route.method === 'DELETE' ? undefined : one(write.names(c), partsOf(c).caller))) as never;
    return handle(
      route,
      async (c) => answered(c, await write.run(c)),
      (c, [made]) => answered(c, made?.pipelineId ?? ''),
    );
  };
  return [
    handle(routes.list, (c) => {
      const { names, query, caller } = partsOf(c);
      return entityPage(db, entity, { names, query, actor: caller }) as never;
    }),
    handle(routes.view, (c) => one(partsOf(c).names, partsOf(c).caller) as never),
    writing(routes.create, writes.create),
    writing(routes.update, writes.update),
    writing(routes.remove, writes.remove),
  ];
};

export const resourceModule = ({ db, engine }: { db: Db; engine: PipelineEngine }, entity: AnyEntity): Area => {
  const pipelines = entityPipelines(db, entity);
  const deps = { db, engine, pipelines };
  const { name } = entity.resource.shape;
  const writes: Record<'create' | 'update' | 'remove', Write> = {
    create: {
      names: (c) => ({ ...partsOf(c).names, [name]: entity.create.name(partsOf(c).wanted) }),
      run: (c) => createEntity(deps, entity, partsOf(c)),
    },
    update: { names: (c) => partsOf(c).names, run: (c) => updateEntity(deps, entity, partsOf(c)) },
    remove: { names: (c) => partsOf(c).names, run: (c) => deleteEntity(deps, entity, partsOf(c)) },
  };
  const started = (c: Call, pipelineId: string) => runFor(db, pipelineId, partsOf(c).caller);
  /** Version 1: the entity when the pipeline is through in time, else the run with 202 (decisions §11). */
  const waited = async (c: Call, pipelineId: string, written: () => Promise<unknown>): Promise<unknown> => {
    const run = await awaitRun(db, pipelineId, partsOf(c).caller);
    if (run.status.state !== 'COMPLETED') {
      c.reply.status(202);
      return run;
    }
    const view = await written();
    if (view !== undefined) return view;
    c.reply.status(204);
    return null;
  };
  return {
    routes: [
      ...handlers({ db, entity }, entity.resource, writes, started),
      ...(entity.waiting ? handlers({ db, entity }, entity.waiting as unknown as Resource, writes, waited) : []),
    ],
    pipelines: Object.values(pipelines),
  };
};
