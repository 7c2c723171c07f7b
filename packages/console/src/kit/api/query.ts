/** Reading: SWR keys made of routes, the specification's fetch policy, and the hook that pages use. */
import type { Call, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import useSWR, { mutate, unstable_serialize, type SWRConfiguration, type SWRResponse } from 'swr';
import { clearError, reportError } from '#kit/error/global-error.ts';
import { createStore, useStore } from '#kit/state/store.ts';
import { useConnection } from './connection.ts';
import { whileAsking } from '#kit/later/page-ready.ts';
import { call } from './call.ts';
import { hasCode, isStatus, ResponseError, type FetchError } from './errors.ts';

/** The id first, so that a live change can find what it concerns. */
export type QueryKey = readonly [id: string, params: Readonly<Record<string, string>>, query: Readonly<Record<string, unknown>>];

export const q = <R extends RouteShape>(route: R, input: Call<R>): QueryKey => [route.id, input.params ?? {}, input.query ?? {}];

/** Every 4000 ms up to 10 times; never for 401 and 404, nor for the other refusals, which do not change by asking again. */
export const retryMs = 4000;
export const retries = 10;
const isFinal = (error: unknown): boolean => isStatus(error, 400, 401, 403, 404);

/** How often a key was tried again so far; a list that fails says so. */
const attempts = createStore<Readonly<Record<string, number>>>({});
const setAttempt = (key: string, count: number): void => {
  const { [key]: known = 0, ...others } = attempts.get();
  if (known !== count) attempts.set(count === 0 ? others : { ...others, [key]: count });
};

export const swrConfig = {
  dedupingInterval: 2000,
  focusThrottleInterval: 5000,
  onErrorRetry: (error: unknown, key, _config, revalidate, { retryCount }) => {
    if (isFinal(error) || retryCount > retries) return;
    setAttempt(key, retryCount);
    setTimeout(() => void revalidate({ retryCount }), retryMs);
  },
  onSuccess: (_data: unknown, key) => {
    setAttempt(key, 0);
    clearError(key);
  },
  onError: (error: unknown, key) => {
    // Server errors are worth a trace id on the page; refusals have their place in the list, an outage in the connection's dot.
    if (error instanceof ResponseError && error.status >= 500) reportError(error, key);
  },
} satisfies SWRConfiguration;

/** An engine that the platform works with does not answer; the platform itself does. */
export const isEngineAway = (error: unknown): boolean => isStatus(error, 503) && hasCode(error, 'EngineUnavailable');
/** Which one, in the server's words. */
export const engineAway = (error: unknown): string | undefined =>
  isEngineAway(error) && error instanceof ResponseError ? (error.problem?.errors?.[0]?.context?.['engine'] ?? 'engine') : undefined;
const reportUnlessAway = (error: unknown, key: string): void => {
  if (!isEngineAway(error)) swrConfig.onError(error, key);
};

/** Without it SWR would swallow every second of a 1 s poll (deduping is 2 s). */
const polledDedupingMs = 500;
const defaultPollMs = 10_000;

export interface QueryOptions<R extends RouteShape> extends Pick<SWRConfiguration, 'keepPreviousData' | 'revalidateOnMount'> {
  /** How often to ask while live changes are down, milliseconds; 0 never. Pipelines that run take 1000. */
  pollMs?: number | ((latest: ResponseOf<R> | undefined) => number);
  /** Polls even while live changes arrive, for what no hint announces. */
  isAlwaysPolled?: boolean;
  /** The page itself says that the engine is away: no banner says it once more. */
  saysAway?: boolean;
}

export type QueryError = ResponseError | FetchError;
export type QueryResult<R extends RouteShape> = SWRResponse<ResponseOf<R>, QueryError> & {
  /** Which retry of the ten is under way, 0 while nothing fails. */
  attempt: number;
};
/** As much of a query as the screens of failure need. */
export interface FailedQuery {
  error?: QueryError | undefined;
  attempt: number;
  mutate: () => Promise<unknown>;
}

const preloadedForMs = 10_000;
const preloadedAt = new Map<string, number>();

/** Puts an answer that is known already where its readers look, without asking for it. */
export const keepAnswer = <R extends RouteShape>(route: R, input: Call<R>, answer: ResponseOf<R>): Promise<unknown> =>
  mutate(q(route, input), answer, { revalidate: false });

/** Reads ahead into the cache; the page that opens shows it at once and asks again. A failure is the page's to tell. */
export const preloadQuery = <R extends RouteShape>(route: R, input: Call<R>): void => {
  const key = q(route, input);
  const name = unstable_serialize(key);
  if (Date.now() - (preloadedAt.get(name) ?? 0) < preloadedForMs) return;
  preloadedAt.set(name, Date.now());
  call(route, input).then(
    (data) => keepAnswer(route, input, data),
    () => undefined,
  );
};

/** `undefined` or `false` as input waits: nothing is asked until there is something to ask. */
export const useQuery = <R extends RouteShape>(
  route: R,
  input: Call<R> | undefined | false,
  options: QueryOptions<R> = {},
): QueryResult<R> => {
  const { pollMs = defaultPollMs, isAlwaysPolled = false, saysAway = false, ...rest } = options;
  const isPolling = useConnection().state !== 'live' || isAlwaysPolled;
  const intervalOf = typeof pollMs === 'function' ? pollMs : () => pollMs;
  const key = input ? q(route, input) : null;
  const attempt = useStore(attempts)[unstable_serialize(key)] ?? 0;
  const result = useSWR<ResponseOf<R>, QueryError>(key, () => whileAsking(call(route, input as Call<R>)), {
    ...rest,
    ...(saysAway ? { onError: reportUnlessAway } : {}),
    // A new function would begin the wait anew with each render: a page that is drawn more often would never ask.
    refreshInterval: typeof pollMs === 'function' ? (latest) => (isPolling ? pollMs(latest) : 0) : isPolling ? pollMs : 0,
    dedupingInterval: isPolling && intervalOf(undefined) < swrConfig.dedupingInterval ? polledDedupingMs : swrConfig.dedupingInterval,
  });
  // Added in place: spreading would read every getter, and SWR would render the page for each of them.
  return Object.assign(result, { attempt });
};
