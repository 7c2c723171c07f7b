/** Calls routes from inside the platform in a person's name, with the mount's checks of access, body and repeats. */
import type { ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { Log } from '#ports/log.ts';
import { newTraceId } from '#kernel/ids.ts';
import type { Caller, Handler } from './handle.ts';
import type { Idempotency } from './idempotency.ts';
import { authorise, parse, type MountOptions } from './mount.ts';

export interface InsideCall {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** As it is sent: the route parses it. */
  readonly body?: unknown;
}
export interface OnceInside {
  readonly key: string;
  /** Runs before the work of the first call, and never before a repeat. */
  readonly before: () => Promise<void>;
}
export interface CallInside {
  <R extends RouteShape>(route: R, call: InsideCall): Promise<ResponseOf<R>>;
  /**
   * Performs a write once per key, also after a crash or on another replica. A repeat is answered from what the first call committed: with
   * the route's own answer to a repeat, or with the id of the pipeline that it started.
   */
  once(route: RouteShape, call: InsideCall, once: OnceInside): Promise<unknown>;
  /** The pipeline that a write with this key has started. Undefined if it committed none. */
  started(caller: Caller, key: string): Promise<string | undefined>;
}
interface Inside extends Pick<MountOptions, 'scopes'> {
  readonly handlers: readonly Handler[];
  readonly idempotency: Idempotency;
  readonly log: Log;
}

/** `inside` is read at the first call, because areas are created before all routes are known. */
export const createInside = (inside: () => Inside): CallInside => {
  let known: (Inside & { readonly byId: ReadonlyMap<string, Handler> }) | undefined;
  const all = () => {
    if (known) return known;
    const read = inside();
    known = { ...read, byId: new Map(read.handlers.map((handler) => [handler.route.id, handler])) };
    return known;
  };
  const prepared = async (route: RouteShape, { caller, params, query, body }: InsideCall) => {
    const { byId, log, scopes } = all();
    const handler = byId.get(route.id);
    if (!handler) throw new Error(`No area answers ${route.id}`);
    const context = {
      caller,
      owner: await authorise(route, params, caller, { scopes }),
      params,
      environment: environmentOf(params['env'] ?? ''),
      query: parse(route.query, query ?? {}) ?? {},
      headers: {},
      body: parse(route.body, body, route.fieldLabel),
      callerNow: async () => caller,
      traceId: newTraceId(),
      log,
    };
    // The route of this handler parsed the context, so the types match.
    return { handler, context: context as never };
  };
  const once: CallInside['once'] = async (route, call, { key, before }) => {
    const { handler, context } = await prepared(route, call);
    const request = { identityId: call.caller.id, key, route: route.id, request: call.params, isAnswerSecret: false };
    const done = await all().idempotency.once(
      request,
      async () => {
        await before();
        return { status: 200, answer: await handler.answer(context) };
      },
      async (made) => ({ status: 200, answer: handler.again ? await handler.again(context, made) : made[0] }),
    );
    return done.answer;
  };
  const started: CallInside['started'] = async ({ id: identityId }, key) =>
    (await all().idempotency.made({ identityId, key }))[0]?.pipelineId ?? undefined;
  const answer = async <R extends RouteShape>(route: R, call: InsideCall): Promise<ResponseOf<R>> => {
    const { handler, context } = await prepared(route, call);
    return handler.answer(context) as Promise<ResponseOf<R>>;
  };
  return Object.assign(answer, { once, started });
};
