/** Creates an entity's area: handlers for its routes, and its pipelines. An area can omit or replace handlers. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isByPipeline, type Resource } from '@slipway/contract/resource.ts';
import type { Db } from '#db/database.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import { awaitRun, planOf, runFor, type PipelineEngine } from '#modules/pipelines/index.ts';
import type { Area } from './area.ts';
import type { AnyEntity, Call, EntityView, ListQuery, Names } from './entity.ts';
import { entityPipelines } from './entity-pipelines.ts';
import { entityPage, requireEntity } from './entity-rows.ts';
import { createEntity, deleteEntity, DryRunEnded, updateEntity, type Done, type EntityDeps } from './entity-writes.ts';

/** Handlers by the name of the route in the resource. */
export type ResourceHandlers = Readonly<Record<Exclude<keyof Resource, 'shape'>, Handler>>;
export interface ResourceArea extends Required<Pick<Area, 'routes' | 'pipelines'>> {
  readonly handlers: ResourceHandlers;
  /** For additional writes of the area. */
  readonly deps: EntityDeps;
}

type Request = Context<RouteShape>;
/** The mount already validated these values with the route's schemas. */
const callOf = (c: Request): Call<unknown> => ({
  caller: c.caller as Caller,
  names: c.params as Names,
  owner: c.owner,
  wanted: c.body,
  isDryRun: 'dryRun' in c.query && c.query['dryRun'] === true,
});

type Answer = (c: Request, done: Done, written: () => Promise<unknown>, route: RouteShape) => Promise<unknown>;

/** Shared by both versions of the specification's paths, which answer writes differently. */
const handlersOf = (deps: EntityDeps, entity: AnyEntity, routes: Omit<Resource, 'shape'>, answer: Answer): ResourceHandlers => {
  const { db } = deps;
  const one = (names: Names, caller: Caller) => requireEntity(db, entity, names, caller);
  const writing = (route: RouteShape, write: (c: Request) => Promise<Done>, namesOf: (c: Request) => Names): Handler => {
    const answered = (c: Request, done: Done) =>
      answer(c, done, async () => (route.method === 'DELETE' ? undefined : one(done.names, c.caller as Caller)), route) as never;
    return handle(
      route,
      async (c) => {
        try {
          return await answered(c, await write(c));
        } catch (error) {
          if (!(error instanceof DryRunEnded)) throw error;
          return planOf(db, error.lock, error.draft) as Promise<never>;
        }
      },
      async (c, [made]) => answered(c, { names: namesOf(c), pipelineId: made?.pipelineId ?? undefined }),
    );
  };
  const named = (c: Request): Names => callOf(c).names;
  const created = (c: Request): Names => ({ ...named(c), [entity.resource.shape.name]: entity.create.name(c.body) });
  return {
    list: handle(routes.list, (c): Promise<never> => {
      const page: Promise<Page<EntityView>> = entityPage(db, entity, { ...callOf(c), query: c.query as unknown as ListQuery });
      return page as Promise<never>;
    }),
    view: handle(routes.view, (c) => one(callOf(c).names, callOf(c).caller) as Promise<never>),
    create: writing(
      routes.create,
      async (c) => {
        const call = callOf(c);
        const wanted = entity.create.prepare ? await entity.create.prepare({ ...call, query: c.query }) : call.wanted;
        return createEntity(deps, entity, { ...call, wanted });
      },
      created,
    ),
    update: writing(routes.update, (c) => updateEntity(deps, entity, callOf(c)), named),
    remove: writing(routes.remove, (c) => deleteEntity(deps, entity, callOf(c)), named),
  };
};

export const resourceModule = ({ db, engine }: { db: Db; engine: PipelineEngine }, entity: AnyEntity): ResourceArea => {
  const pipelines = entityPipelines(db, entity);
  const deps: EntityDeps = { db, engine, pipelines };
  const started: Answer = (c, { pipelineId }, written) =>
    pipelineId === undefined ? written() : runFor(db, pipelineId, c.caller as Caller);
  /** Version 1: returns the entity if the pipeline finishes in time, otherwise the run with 202 (decisions §11). A route may always return the run. */
  const waited: Answer = async (c, { pipelineId = '' }, written, route) => {
    const run = await awaitRun(db, pipelineId, c.caller as Caller);
    if (run.status.state !== 'COMPLETED' || isByPipeline(route)) {
      c.reply.status(202);
      return run;
    }
    const view = await written();
    if (view !== undefined) return view;
    c.reply.status(204);
    return null;
  };
  const handlers = handlersOf(deps, entity, entity.resource, started);
  const waiting = entity.waiting && handlersOf(deps, entity, entity.waiting, waited);
  return {
    handlers,
    deps,
    // Both versions may have a route in common.
    routes: [...new Map([...Object.values(waiting ?? {}), ...Object.values(handlers)].map((one) => [one.route.id, one])).values()],
    pipelines: Object.values(pipelines),
  };
};
