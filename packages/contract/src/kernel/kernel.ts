/**
 * The contract kernel: a route is plain data. The server mounts it, the console's client calls it, OpenAPI describes it, and tests iterate
 * over it. None of them repeats a path, a status or a schema.
 */
import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Right that a route requires. Further conditions, such as the team in the body, are the module's rules. For routes below an app or a team
 * the kernel looks up the caller's role there. `hidden` means that non-members get 404 instead of 403 (decisions §9).
 */
export type Access =
  | 'public'
  | 'signedIn'
  | 'appMember'
  | 'appMemberHidden'
  | 'appOwner'
  | 'teamMember'
  | 'teamOwner'
  | 'administrator'
  | 'administratorHidden';
/** True if a refused caller must not learn that the resource exists. */
export const isHidden = (access: Access): boolean => access === 'appMemberHidden' || access === 'administratorHidden';

export interface RouteShape {
  /** Noun then verb. Also the contract export, OpenAPI operationId, query key, log field and test title. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI style: `/api/v1/apps/{app}/{env}/services`. */
  readonly path: string;
  readonly summary: string;
  /** Sentences for the API's description that no other property tells. */
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  readonly query?: z.ZodMiniObject;
  /** Headers that the route reads, by name as documented: `Mac-App-Id`. */
  readonly headers?: z.ZodMiniObject;
  /** Header that may carry the key of a repeat instead of `Idempotency-Key`, if its value matches. */
  readonly keyHeader?: { readonly name: string; readonly pattern: RegExp };
  readonly body?: z.ZodMiniType;
  /** Absent for 204 and for streams. */
  readonly response?: z.ZodMiniType;
  /** Defaults to 200 with a response and 204 without. */
  readonly status?: number;
  /** Codes that this route may answer in addition to the general codes. */
  readonly codes: readonly ErrorCode[];
  /**
   * The request or the answer holds a secret: neither the answer nor a hash of the request is stored for a repeated Idempotency-Key.
   * `answer`: only the answer holds one. The request's hash is stored to recognize a repeat, whose answer is built again.
   */
  readonly isSecret?: boolean | 'answer';
  /** Overrides the default body size limit, see `bodyLimitOf`. */
  readonly bodyLimitKilobytes?: number;
  /** The answer is not JSON but server-sent events, plain text, or bytes. */
  readonly stream?: 'events' | 'text' | 'bytes';
  /** Media types of a streamed answer, if `stream` does not determine them. */
  readonly mediaTypes?: readonly string[];
  /** Media types that the route may answer instead of JSON if the caller asks for one. */
  readonly alsoAs?: readonly string[];
  /** Labels of the body's fields in errors, for fields whose names are not clear enough. */
  readonly fieldLabel?: (field: string) => string | undefined;
  /** Other paths of the body's fields: `{ 'metadata.name': 'id' }`. The specification names some fields twice. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Media type that the body may have instead of JSON. */
  readonly bodyMediaType?: string;
}

type MethodIn<Request extends string> = Request extends `${infer M extends Method} ${string}` ? M : never;
type PathIn<Request extends string> = Request extends `${Method} ${infer Path}` ? Path : never;
/** Properties that a route states beside its id and request. Properties with a default may be left out. */
type Others<Defaults> = Omit<RouteShape, 'id' | 'method' | 'path' | keyof Defaults> &
  Partial<Pick<RouteShape, keyof Defaults & keyof RouteShape>>;
type Route<Defaults, Id, Request extends string, R> = Omit<Defaults, keyof R> &
  R & { readonly id: Id; readonly method: MethodIn<Request>; readonly path: PathIn<Request> };

/** Returns a function for routes that share properties: `routesIn({ tag, access })`. A route may override them. */
export const routesIn =
  <const Defaults extends Partial<Pick<RouteShape, 'tag' | 'access'>>>(defaults: Defaults) =>
  <const Id extends string, const Request extends `${Method} ${string}`, const R extends Others<Defaults>>(
    id: Id,
    request: Request,
    others: R,
  ): Route<Defaults, Id, Request, R> => {
    const [method, path] = request.split(' ', 2);
    return { ...defaults, ...others, id, method, path } as never;
  };

const routeOf = routesIn({});
/** `route('berthView', 'GET /api/v1/berths/{berth}', { … })`, or a shape that was put together from parts. */
export function route<const R extends RouteShape>(shape: R): R;
export function route<const Id extends string, const Request extends `${Method} ${string}`, const R extends Others<object>>(
  id: Id,
  request: Request,
  others: R,
): Route<object, Id, Request, R>;
export function route(...given: [RouteShape] | Parameters<typeof routeOf>): RouteShape {
  return given.length === 1 ? given[0] : routeOf(...given);
}

export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never;
export type ParamsOf<R extends RouteShape> = { [N in PathParams<R['path']>]: string };
export type QueryOf<R extends RouteShape> = R extends { query: infer Q extends z.ZodMiniObject } ? z.output<Q> : Record<never, never>;
export type QueryInput<R extends RouteShape> = R extends { query: infer Q extends z.ZodMiniObject } ? z.input<Q> : Record<never, never>;
export type HeadersOf<R extends RouteShape> = R extends { headers: infer H extends z.ZodMiniObject } ? z.output<H> : Record<never, never>;
type HeadersInput<R extends RouteShape> = R extends { headers: infer H extends z.ZodMiniObject } ? z.input<H> : Record<never, never>;
export type BodyOf<R extends RouteShape> = R extends { body: infer B extends z.ZodMiniType } ? z.output<B> : undefined;
export type BodyInput<R extends RouteShape> = R extends { body: infer B extends z.ZodMiniType } ? z.input<B> : undefined;
export type ResponseOf<R extends RouteShape> = R extends { response: infer S extends z.ZodMiniType } ? z.output<S> : undefined;

/** Input from the caller: path parameters, query, headers and body, each only if the route has it. */
export type Call<R extends RouteShape> = ([PathParams<R['path']>] extends [never] ? { params?: undefined } : { params: ParamsOf<R> }) & {
  query?: QueryInput<R>;
} & (R extends { headers: z.ZodMiniType } ? { headers: HeadersInput<R> } : { headers?: undefined }) &
  (R extends { body: z.ZodMiniType } ? { body: BodyInput<R> } : { body?: undefined });

/**
 * Returns the maximum size of a request body in bytes. The default fits names, choices and reasons; routes with larger bodies (settings,
 * settings files, secrets) set their own limit. The server ignores the body of routes without one.
 */
export const bodyLimitOf = ({ body, bodyLimitKilobytes = body ? 64 : 4 }: RouteShape): number => bodyLimitKilobytes * 1024;

export const statusOf = (shape: RouteShape): number => shape.status ?? (shape.response || shape.stream ? 200 : 204);

/** `/api/v1/apps/{app}` and `{ app: 'berth' }` → `/api/v1/apps/berth`. Throws a RequiredError if a parameter is missing. */
export const pathOf = (shape: RouteShape, params: Readonly<Record<string, string>> = {}): string =>
  shape.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new RequiredError(name);
    return encodeURIComponent(value);
  });

export const queryString = (query: Readonly<Record<string, unknown>> = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined && item !== null && item !== '')
      .map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(String(item))}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
};

const isMissing = (value: unknown): boolean => value === undefined || value === null;
const isRequired = (schema: z.core.$ZodType): boolean => schema._zod.optin === undefined;
/** Throws a RequiredError if the body, or a required field of the query or the headers, is null or undefined. */
export const requireInput = (shape: RouteShape, input: { query?: object; headers?: object; body?: unknown }): void => {
  for (const part of ['query', 'headers'] as const) {
    const given = new Map<string, unknown>(Object.entries(input[part] ?? {}));
    for (const [name, field] of Object.entries(shape[part]?.shape ?? {}))
      if (isRequired(field) && isMissing(given.get(name))) throw new RequiredError(name);
  }
  if (shape.body && isRequired(shape.body) && isMissing(input.body)) throw new RequiredError('body');
};

/** A required parameter is missing, so the request was not sent. */
export class RequiredError extends Error {
  override readonly name = 'RequiredError';
  readonly field: string;
  constructor(field: string) {
    super(`Required parameter ${field} was null or undefined`);
    this.field = field;
  }
}
