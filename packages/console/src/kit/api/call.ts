/** Sends one call of the contract: builds the URL, adds the token, and turns every failure into one of three errors. */
import { pathOf, queryString, requireInput, type Call, type ResponseOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { FetchError, ResponseError } from './errors.ts';
import { newKey } from './idempotency.ts';
import { runtimeConfig } from './runtime-config.ts';
import { accessToken, signInAgain, tokenAfter } from './session.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Writes get a new key by default. The server executes repeated calls with the same key only once. */
  idempotencyKey?: string | undefined;
  /** Media type of the answer, for routes that answer in several. Defaults to JSON. */
  accept?: string;
  /** Sent as the body instead of JSON, under this media type. */
  file?: { content: Blob; type: string };
}

const teamService = '/api/team-service';
const mainApi = '/api/v1';

/** Returns the configured base URL without the prefix that the contract's paths start with. */
const baseOf = (path: string): string => {
  const { apiUrl, teamServiceUrl } = runtimeConfig();
  const [url, prefix] = path.startsWith(teamService) ? [teamServiceUrl, teamService] : [apiUrl, mainApi];
  const base = url.replace(/\/+$/, '');
  return base.endsWith(prefix) ? base.slice(0, -prefix.length) : base;
};

export const urlOf = <R extends RouteShape>(route: R, input: Call<R>): string => {
  const path = pathOf(route, input.params) + queryString(input.query);
  return baseOf(path) + path;
};

/** Headers of every request. Only the trace of a click, which is loaded if the server records traces. */
let extraHeaders = (): Record<string, string> => ({});
export const setExtraHeaders = (headers: typeof extraHeaders): void => {
  extraHeaders = headers;
};

type Init = Omit<RequestInit, 'headers'> & { headers: Record<string, string> };

const send = async (url: string, init: Init, token: string): Promise<Response> => {
  try {
    return await fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });
  } catch (cause) {
    // The caller aborted the request: not a network failure.
    if (init.signal?.aborted) throw cause;
    throw new FetchError(cause, new URL(url, location.href).origin === location.origin ? undefined : 0);
  }
};

const jsonOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

const headersIn = (headers: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));

/** A PATCH carries the fields that change (RFC 7396). */
const bodyTypeOf = ({ method }: RouteShape): string => (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');

/** Sends the request. After a 401 it retries once with a new token, then sends the user to sign in and back to this page. */
export const send2xx = async <R extends RouteShape>(route: R, input: Call<R>, options: CallOptions = {}): Promise<Response> => {
  const isWrite = route.method !== 'GET';
  requireInput(route, options.file ? { ...input, body: options.file } : input);
  const init: Init = {
    method: route.method,
    headers: {
      Accept: options.accept ?? 'application/json',
      ...(options.file ? { 'Content-Type': options.file.type } : input.body === undefined ? {} : { 'Content-Type': bodyTypeOf(route) }),
      ...headersIn(input.headers),
      ...extraHeaders(),
      ...(isWrite ? { 'Idempotency-Key': options.idempotencyKey ?? newKey() } : {}),
    },
    ...(options.file ? { body: options.file.content } : input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const url = urlOf(route, input);
  const token = await accessToken();
  let response = await send(url, init, token);
  if (response.status === 401) response = await send(url, init, await tokenAfter(token));
  if (response.ok) return response;
  const error = new ResponseError(response.status, await jsonOf(response), {
    url: response.url,
    type: response.headers.get('content-type') ?? '',
  });
  if (error.status === 401) void signInAgain();
  throw error;
};

/**
 * Returns the route's response, or undefined if the route has none. Throws RequiredError (a parameter is missing, nothing was sent),
 * ResponseError (with the error object) or FetchError.
 */
export const call = async <R extends RouteShape>(route: R, input: Call<R>, options?: CallOptions): Promise<ResponseOf<R>> => {
  const response = await send2xx(route, input, options);
  return (response.status === 204 ? undefined : await jsonOf(response)) as ResponseOf<R>;
};
