/** Mounts handlers on Fastify with the same authentication, access checks, validation, idempotency and errors for every route. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { labelled, type ErrorCode, type FieldError } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { bodyLimitOf, isHidden, statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accessRule } from '@slipway/contract/kernel/rights.ts';
import type { Log } from '#ports/log.ts';
import { Problem } from '#kernel/problem.ts';
import { withAliases } from './aliases.ts';
import type { Caller, Handler, Owner } from './handle.ts';
import { type Idempotency, idempotencyKeyOf } from './idempotency.ts';
import type { Made } from './write-claim.ts';
import type { FloodGate } from './flood-gate.ts';
import type { RequestMetrics } from '#kernel/telemetry/request-metrics.ts';
import { nameRequest, resumeRequest } from '#kernel/telemetry/tracing.ts';
import { textFault } from './is-text.ts';

type Routed = FastifyRequest<{ Params: Record<string, string> }>;

/** A path parameter that names a team-owned resource: `{app}`. Each area registers its own. */
export interface Scope {
  /** Undefined if the resource does not exist. */
  readonly find: (params: Readonly<Record<string, string>>) => Promise<Owner | undefined>;
  readonly missing: ErrorCode;
}

export interface MountOptions {
  readonly log: Log;
  /** Returns undefined without credentials. Throws TokenInvalid for invalid credentials. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller | undefined>;
  /** Keyed by the parameter name in the path. */
  readonly scopes: Readonly<Record<string, Scope>>;
  readonly idempotency: Idempotency;
  /** Answers a retry of a write that started a pipeline, unless its handler defines `again`. */
  readonly runOf: (pipelineId: string, caller: Caller) => Promise<unknown>;
  readonly floods: FloodGate;
  readonly metrics?: RequestMetrics;
  /** Validates every response against its schema. Used in tests. */
  readonly isStrict: boolean;
}

export const parse = (
  schema: RouteShape['body'] | RouteShape['query'],
  value: unknown,
  labelOf: RouteShape['fieldLabel'] = () => undefined,
): unknown => {
  if (!schema) return undefined;
  const result = schema.safeParse(value, { reportInput: true });
  const named = (error: FieldError): FieldError => {
    const label = labelOf(error.field ?? '');
    return label === undefined ? error : { ...error, context: labelled(error.context, label) };
  };
  if (!result.success) throw Problem.fields(fieldErrors(result.error).map(named));
  return result.data;
};

/** HTTP header names are case-insensitive. Node lists them in lower case. */
const headersIn = ({ headers }: RouteShape, request: Routed): unknown =>
  headers &&
  Object.fromEntries(
    Object.keys(headers.shape).flatMap((name) => {
      const value = request.headers[name.toLowerCase()];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Requires every resource in the path to exist. The innermost resource determines the owner. */
const ownerOf = async (
  route: RouteShape,
  params: Readonly<Record<string, string>>,
  { scopes }: Pick<MountOptions, 'scopes'>,
): Promise<Owner | undefined> => {
  let owner: Owner | undefined;
  for (const [, name = ''] of route.path.matchAll(/\{(\w+)\}/g)) {
    const scope = Object.hasOwn(scopes, name) ? scopes[name] : undefined;
    if (!scope) continue;
    owner = await scope.find(params);
    if (!owner) throw new Gone(scope.missing);
  }
  return owner;
};

/** Checks that the caller is a member or owner of the resource's team. Others get 404 if even the existence is private. */
export const authorise = async (
  route: RouteShape,
  params: Readonly<Record<string, string>>,
  caller: Caller | undefined,
  options: Pick<MountOptions, 'scopes'>,
) => {
  if (route.access !== 'public' && !caller) throw new Problem('NotSignedIn');
  const scope = route.method === 'GET' ? 'read' : 'write';
  if (caller && route.access !== 'public' && !caller.scopes.has(scope) && !caller.scopes.has('write')) {
    throw new Problem('TokenScopeMissing', { context: { scope } });
  }
  const owner = await ownerOf(route, params, options);
  const verdict = accessRule(route.access, caller, owner?.teamId);
  if (verdict !== true) {
    if (isHidden(route.access)) throw new Problem('MISSING_RESOURCE');
    throw new Problem(verdict, { context: { team: owner?.teamName ?? '' } });
  }
  return owner;
};

/** Repeats the checks of the start of the request. */
const callerNow = async (route: RouteShape, request: Routed, options: MountOptions): Promise<Caller | undefined> => {
  try {
    const caller = await options.authenticate(request);
    await authorise(route, request.params, caller, options);
    return caller;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return undefined;
    throw error;
  }
};

/** Facts about a request before its body is read. */
interface Admitted {
  readonly caller: Caller | undefined;
  readonly owner: Owner | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly environment: Environment | undefined;
  /** Set if the resource to delete does not exist. A retry of the deletion is still answered. */
  readonly gone?: Problem;
}

/** The first of two identical deletions may already have removed the resource. */
const isRepeatable = (route: RouteShape, request: Routed): boolean =>
  route.method === 'DELETE' && route.body === undefined && idempotencyKeyOf(request) !== undefined;

class Gone extends Problem {}

const admit = async (route: RouteShape, request: Routed, options: MountOptions): Promise<Admitted> => {
  // Invalid credentials of people and service accounts are rejected even on public routes.
  const caller = await options.authenticate(request);
  const params = request.params;
  // PostgreSQL text cannot contain NUL, so no resource has such a name.
  if (Object.values(params).some((value) => value.includes('\0'))) throw new Problem('MISSING_RESOURCE');
  let gone: Gone | undefined;
  const owner = await authorise(route, params, caller, options).catch((error: unknown) => {
    if (!(error instanceof Gone) || !isRepeatable(route, request)) throw error;
    gone = error;
    return undefined;
  });
  const environment = params['env'] === undefined ? undefined : environmentOf(params['env']);
  if (params['env'] !== undefined && !environment) throw new Problem('EnvironmentDoesNotExist');
  return { caller, owner, environment, params: environment ? { ...params, env: environment } : params, ...(gone && { gone }) };
};

/** Rejects text that PostgreSQL cannot store. Otherwise, dry runs would succeed and searches would fail. */
const requireText = (value: unknown): void => {
  const field = textFault(value);
  if (field !== undefined) throw new Problem('BodyInvalid', { field });
};

/** Streams are long-lived, so each person may only have a few. */
const takeStream = (request: Routed, reply: FastifyReply, caller: Caller, { floods }: MountOptions): void => {
  if (floods.stream(request.raw, reply.raw, caller.id)) return;
  throw new Problem('TooManyStreams', { context: { max: String(floods.streamsByPerson), seconds: '30' } });
};

/** Answers a retry whose first request was interrupted after its commit. */
const answerAgain = async (
  { route, again }: Handler,
  { caller, parsed }: { readonly caller: Caller; readonly parsed: never },
  made: readonly Made[],
  { runOf }: MountOptions,
): Promise<unknown> => {
  if (again) return again(parsed, made);
  const pipelineId = made[0]?.pipelineId;
  if (pipelineId) return runOf(pipelineId, caller);
  if (route.response) throw new Error(`${route.id} does not say what a repeat is answered`);
  return undefined;
};

/** Returns the key in the route's own header, kept apart from keys of the general header. */
const ownKeyOf = ({ keyHeader }: RouteShape, request: FastifyRequest): string | undefined => {
  const value = keyHeader && request.headers[keyHeader.name.toLowerCase()];
  return typeof value === 'string' && keyHeader?.pattern.test(value) ? `${keyHeader.name}: ${value}` : undefined;
};

/**
 * Whether nothing is left to send. A reply that a handler sent itself is awaited like a promise, until its end or until the client has gone,
 * and gives no value.
 */
const isAnswered = ({ raw }: FastifyReply): boolean => raw.headersSent || raw.destroyed;

/** Returns no key for dry runs, which commit nothing, or for requests that contain secrets. */
const keyFor = (route: RouteShape, request: FastifyRequest, isDryRun: boolean): string | undefined =>
  isDryRun || route.method === 'GET' || route.stream || route.isSecret === true
    ? undefined
    : (idempotencyKeyOf(request) ?? ownKeyOf(route, request));

const answerOf = async (
  handler: Handler,
  admitted: Admitted,
  request: Routed,
  reply: FastifyReply,
  options: MountOptions,
): Promise<unknown> => {
  const { route } = handler;
  const { caller, params, gone } = admitted;
  const body = parse(route.body, withAliases(route, request.body ?? undefined), route.fieldLabel);
  const query = parse(route.query, request.query) ?? {};
  const headers = parse(route.headers, headersIn(route, request)) ?? {};
  requireText(body);
  requireText(query);
  if (route.stream && caller) takeStream(request, reply, caller, options);
  const context = {
    ...admitted,
    query,
    headers,
    body,
    callerNow: () => callerNow(route, request, options),
    traceId: request.id,
    log: request.log,
    request,
    reply,
  };
  const isDryRun = isRecord(query) && query['dryRun'] === true;
  const status = isDryRun ? 200 : statusOf(route);
  const sent = async (working: Promise<unknown>) => {
    const answer = await working;
    if (options.isStrict && route.response && !isAnswered(reply)) route.response.parse(answer);
    return { status: reply.statusCode === 200 ? status : reply.statusCode, answer };
  };
  // The route of this handler parsed the context, so the types match.
  const parsed = context as never;
  const key = keyFor(route, request, isDryRun);
  if (gone && !(key && caller)) throw gone;
  if (!key || !caller) {
    const answer = await sent(handler.answer(parsed));
    if (!route.stream && !isAnswered(reply)) reply.status(answer.status);
    return answer.answer;
  }
  const asked = {
    identityId: caller.id,
    key,
    route: route.id,
    request: route.headers ? { params, query, body, headers } : { params, query, body },
    isAnswerSecret: route.isSecret === 'answer',
  };
  const again = (made: readonly Made[]) => sent(answerAgain(handler, { caller, parsed }, made, options));
  const stored = gone
    ? await options.idempotency.past(asked, again)
    : await options.idempotency.once(asked, () => sent(handler.answer(parsed)), again);
  if (!stored) throw gone ?? new Error(`${route.id} was not answered`);
  reply.status(stored.status);
  return stored.answer;
};

/** Requires handlers of writes to define `again`, unless the write starts a pipeline or returns nothing. */
const requireAgain = ({ route, again }: Handler): void => {
  if (again || route.method === 'GET' || route.stream || route.isSecret === true) return;
  if (route.response && statusOf(route) !== 202) throw new Error(`${route.id} does not say what a repeat is answered`);
};

export const mountRoutes = (server: FastifyInstance, handlers: readonly Handler[], options: MountOptions): void => {
  const admitted = new WeakMap<Routed, Admitted>();
  for (const handler of handlers) {
    const { route } = handler;
    requireAgain(handler);
    server.route<{ Params: Record<string, string> }>({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      // A HEAD request of a stream would open a stream that nobody reads or closes.
      config: { isStream: Boolean(route.stream), bodyMediaType: route.bodyMediaType },
      bodyLimit: bodyLimitOf(route),
      // Runs before the body is read, so that bodies of unauthorized requests are ignored.
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        nameRequest(request.raw, route);
        options.metrics?.named(request.raw, route);
        admitted.set(request, await admit(route, request, options));
      },
      handler: async (request, reply) => {
        const known = admitted.get(request);
        if (!known) throw new Error(`${route.id} was called without having been admitted`);
        const answer = await resumeRequest(request.raw, () => answerOf(handler, known, request, reply, options));
        if (route.stream || isAnswered(reply)) return answer;
        return reply.send(answer === undefined ? null : answer);
      },
    });
  }
};
