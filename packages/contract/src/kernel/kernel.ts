/**
 * The contract kernel: a route is plain data. The server mounts it, the console's client calls it, OpenAPI describes it,
 * and tests walk it; none of them repeats a path, a status or a schema.
 */
import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route at all; what else decides (the body's team, say) is the module's rule. For routes below an app or a team
 * the kernel finds the caller's role there. `hidden` means that a stranger gets 404, else 403 (decisions §9).
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
/** Whom such a word refuses does not learn that there is anything. */
export const isHidden = (access: Access): boolean => access === 'appMemberHidden' || access === 'administratorHidden';

export interface RouteShape {
  /** Noun then verb: contract export, OpenAPI operationId, query key, log field and test title. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI style: `/api/v1/apps/{app}/{env}/services`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: Access;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniType;
  /** Absent: 204, or a stream. */
  readonly response?: z.ZodMiniType;
  /** 200 with a response, else 204, unless said. */
  readonly status?: number;
  /** Codes that this route may answer beside the general ones. */
  readonly codes: readonly ErrorCode[];
  /**
   * Request or answer holds a secret: neither the answer nor a hash of the request is kept for a repeated Idempotency-Key. `answer`: the
   * request holds none. Then a repeat is known by a hash, and is answered anew.
   */
  readonly isSecret?: boolean | 'answer';
  /** Larger or smaller requests than usual, see `bodyLimitOf`. */
  readonly bodyLimitKilobytes?: number;
  /** Not JSON: server-sent events, plain text, or bytes. */
  readonly stream?: 'events' | 'text' | 'bytes';
  /** What a stream's answer may be, unless its kind says it. */
  readonly mediaTypes?: readonly string[];
  /** Labels of the body's fields for errors, where their names do not say enough. */
  readonly fieldLabel?: (field: string) => string | undefined;
  /** The body may come as this instead of JSON. */
  readonly bodyMediaType?: string;
}

export const route = <const R extends RouteShape>(shape: R): R => shape;

export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParams<Rest> : never;
export type ParamsOf<R extends RouteShape> = { [N in PathParams<R['path']>]: string };
export type QueryOf<R extends RouteShape> = R extends { query: infer Q extends z.ZodMiniObject } ? z.output<Q> : Record<never, never>;
export type QueryInput<R extends RouteShape> = R extends { query: infer Q extends z.ZodMiniObject } ? z.input<Q> : Record<never, never>;
export type BodyOf<R extends RouteShape> = R extends { body: infer B extends z.ZodMiniType } ? z.output<B> : undefined;
export type BodyInput<R extends RouteShape> = R extends { body: infer B extends z.ZodMiniType } ? z.input<B> : undefined;
export type ResponseOf<R extends RouteShape> = R extends { response: infer S extends z.ZodMiniType } ? z.output<S> : undefined;

/** What a caller gives: path parameters, query and body, each only where the route has it. */
export type Call<R extends RouteShape> = ([PathParams<R['path']>] extends [never] ? { params?: undefined } : { params: ParamsOf<R> }) & {
  query?: QueryInput<R>;
} & (R extends { body: z.ZodMiniType } ? { body: BodyInput<R> } : { body?: undefined });

/**
 * Bytes that a request may have. Names, choices and reasons need little; whatever holds more (settings, a settings file, secrets) says so.
 * Without a body of its own nothing is read from it.
 */
export const bodyLimitOf = ({ body, bodyLimitKilobytes = body ? 64 : 4 }: RouteShape): number => bodyLimitKilobytes * 1024;

export const statusOf = (shape: RouteShape): number => shape.status ?? (shape.response || shape.stream ? 200 : 204);

/** `/api/v1/apps/{app}` and `{ app: 'berth' }` → `/api/v1/apps/berth`; throws RequiredParameter's name for a missing one. */
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

/** A required parameter is missing: the call was never sent. */
export class RequiredError extends Error {
  override readonly name = 'RequiredError';
  readonly field: string;
  constructor(field: string) {
    super(`Required parameter ${field} was null or undefined`);
    this.field = field;
  }
}
