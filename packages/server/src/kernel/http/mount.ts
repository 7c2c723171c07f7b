/** Mounts handlers on Fastify: authentication, access, validation, idempotency and errors, the same for every route. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import type { ErrorCode, FieldError } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { bodyLimitOf, isHidden, statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accessRule } from '@slipway/contract/kernel/rights.ts';
import type { Log } from '#ports/log.ts';
import { Problem } from '../problem.ts';
import type { Caller, Handler, Owner } from './handle.ts';
import { type Idempotency, idempotencyKeyOf } from './idempotency.ts';
import type { Made } from './write-claim.ts';
import type { FloodGate } from './flood-gate.ts';
import { textFault } from './is-text.ts';

type Routed = FastifyRequest<{ Params: Record<string, string> }>;

/** A name in paths that something stands behind, which a team owns: `{app}`. Areas register theirs. */
export interface Scope {
  /** Undefined: there is none. */
  readonly find: (params: Readonly<Record<string, string>>) => Promise<Owner | undefined>;
  readonly missing: ErrorCode;
}

export interface MountOptions {
  readonly log: Log;
  /** Undefined without credentials; throws TokenInvalid for wrong ones. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller | undefined>;
  /** By the name in the path. */
  readonly scopes: Readonly<Record<string, Scope>>;
  readonly idempotency: Idempotency;
  /** Answers a repeat of a write that has started a pipeline, where its handler does not say otherwise. */
  readonly runOf: (pipelineId: string, caller: Caller) => Promise<unknown>;
  readonly floods: FloodGate;
  /** Tests check every answer against its schema. */
  readonly isStrict: boolean;
}

const parse = (
  schema: RouteShape['body'] | RouteShape['query'],
  value: unknown,
  labelOf: RouteShape['fieldLabel'] = () => undefined,
): unknown => {
  if (!schema) return undefined;
  const result = schema.safeParse(value, { reportInput: true });
  const labelled = (error: FieldError): FieldError => {
    const label = labelOf(error.field ?? '');
    return label === undefined ? error : { ...error, context: { ...error.context, label } };
  };
  if (!result.success) throw Problem.fields(fieldErrors(result.error).map(labelled));
  return result.data;
};

/** Whatever the path names has to be there; the innermost says whose it is. */
const ownerOf = async (
  route: RouteShape,
  params: Readonly<Record<string, string>>,
  { scopes }: MountOptions,
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

/** Members and owners by the team that owns what the path names; strangers get 404 where even the existence is theirs alone. */
const authorise = async (
  route: RouteShape,
  params: Readonly<Record<string, string>>,
  caller: Caller | undefined,
  options: MountOptions,
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

/** The same questions as at the start, asked again. */
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

/** What is known of a request before its body is read. */
interface Admitted {
  readonly caller: Caller | undefined;
  readonly owner: Owner | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly environment: Environment | undefined;
  /** Why a deletion cannot be done: what it would delete is not there. A repeat is answered all the same. */
  readonly gone?: Problem;
}

/** What the path of a deletion names may be gone by the first of two like requests. */
const isRepeatable = (route: RouteShape, request: Routed): boolean =>
  route.method === 'DELETE' && route.body === undefined && idempotencyKeyOf(request) !== undefined;

class Gone extends Problem {}

const admit = async (route: RouteShape, request: Routed, options: MountOptions): Promise<Admitted> => {
  // Service accounts and people alike: a broken credential is refused even where none is needed.
  const caller = await options.authenticate(request);
  const params = request.params;
  // PostgreSQL's text holds no NUL, so nothing can be named so.
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

/** A dry run would plan what cannot be kept, and a search would ask for what cannot be there. */
const requireText = (value: unknown): void => {
  const field = textFault(value);
  if (field !== undefined) throw new Problem('BodyInvalid', { field });
};

/** A stream lasts: a person may have some, and no more. */
const takeStream = (request: Routed, reply: FastifyReply, caller: Caller, { floods }: MountOptions): void => {
  if (floods.stream(request.raw, reply.raw, caller.id)) return;
  throw new Problem('TooManyStreams', { context: { max: String(floods.streamsByPerson), seconds: '30' } });
};

/** The answer to a repeat whose first request was interrupted after it had committed. */
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

/** Nothing of a dry run is kept, since it has accepted nothing, nor of a request that holds a secret. */
const keyFor = (route: RouteShape, request: FastifyRequest, isDryRun: boolean): string | undefined =>
  isDryRun || route.method === 'GET' || route.stream || route.isSecret === true ? undefined : idempotencyKeyOf(request);

const answerOf = async (
  handler: Handler,
  admitted: Admitted,
  request: Routed,
  reply: FastifyReply,
  options: MountOptions,
): Promise<unknown> => {
  const { route } = handler;
  const { caller, params, gone } = admitted;
  const body = parse(route.body, request.body ?? undefined, route.fieldLabel);
  const query = parse(route.query, request.query) ?? {};
  requireText(body);
  requireText(query);
  if (route.stream && caller) takeStream(request, reply, caller, options);
  const context = {
    ...admitted,
    query,
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
    if (options.isStrict && route.response) route.response.parse(answer);
    return { status: reply.statusCode === 200 ? status : reply.statusCode, answer };
  };
  // Parsed by the route that the answer was joined with: what its function takes is what arrives.
  const parsed = context as never;
  const key = keyFor(route, request, isDryRun);
  if (gone && !(key && caller)) throw gone;
  if (!key || !caller) {
    const answer = await sent(handler.answer(parsed));
    if (!route.stream) reply.status(answer.status);
    return answer.answer;
  }
  const asked = {
    identityId: caller.id,
    key,
    route: route.id,
    request: { params, query, body },
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

/** A pipeline's run can be shown again, and nothing needs no showing. Of everything else the handler must say it. */
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
      // A HEAD of a stream would open one that nobody reads or closes.
      config: { isStream: Boolean(route.stream) },
      bodyLimit: bodyLimitOf(route),
      // Before the body is read: what strangers send is not looked at.
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        admitted.set(request, await admit(route, request, options));
      },
      handler: async (request, reply) => {
        const known = admitted.get(request);
        if (!known) throw new Error(`${route.id} was called without having been admitted`);
        const answer = await answerOf(handler, known, request, reply, options);
        if (route.stream) return answer;
        return reply.send(answer === undefined ? null : answer);
      },
    });
  }
};
