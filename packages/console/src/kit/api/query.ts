/** Reads: SWR keys made of routes, the specification's fetch policy, and the hook that pages use. */
import type { Call, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import useSWR, { mutate, unstable_serialize, type SWRConfiguration, type SWRResponse } from 'swr';
import { clearError, reportError } from '#kit/error/global-error.ts';
import { createStore, useStore } from '#kit/state/store.ts';
import { useConnection } from './connection.ts';
import { whileAsking } from '#kit/later/page-ready.ts';
import { call } from './call.ts';
import { hasCode, isStatus, ResponseError, type FetchError } from './errors.ts';

/** Starts with the route id, so that a live change can find the affected keys. */
export type QueryKey = readonly [id: string, params: Readonly<Record<string, string>>, query: Readonly<Record<string, unknown>>];

export const q = <R extends RouteShape>(route: R, input: Call<R>): QueryKey => [route.id, input.params ?? {}, input.query ?? {}];

/** Retries every 4000 ms, up to 10 times. Never retries 401 and 404 (decisions, section 6). */
export const retryMs = 4000;
export const retries = 10;
const isFinal = (error: unknown): boolean => isStatus(error, 401, 404);

/** Number of retries per key so far; the error state of a list shows it. */
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
    // Server errors need a trace id on the page. Lists show client errors themselves, and the connection dot shows an outage.
    if (error instanceof ResponseError && error.status >= 500) reportError(error, key);
  },
} satisfies SWRConfiguration;

/** Returns true if the platform answered, but an engine behind it did not. */
export const isEngineAway = (error: unknown): boolean => isStatus(error, 503) && hasCode(error, 'EngineUnavailable');
/** Returns the name of the unavailable engine, as the server calls it. */
export const engineAway = (error: unknown): string | undefined =>
  isEngineAway(error) && error instanceof ResponseError ? (error.problem?.errors?.[0]?.context?.['engine'] ?? 'engine') : undefined;
const reportUnlessAway = (error: unknown, key: string): void => {
  if (!isEngineAway(error)) swrConfig.onError(error, key);
};

/** Replaces SWR's 2 s deduplication, which would drop every second request of a 1 s poll. */
const polledDedupingMs = 500;
const defaultPollMs = 10_000;

export interface QueryOptions<R extends RouteShape> extends Pick<SWRConfiguration, 'keepPreviousData' | 'revalidateOnMount'> {
  /** Poll interval while live changes are down, milliseconds; 0 for never. Running pipelines use 1000. */
  pollMs?: number | ((latest: ResponseOf<R> | undefined) => number);
  /** Polls even while live changes arrive, for data without hints. */
  isAlwaysPolled?: boolean;
  /** True if the page itself says that the engine is unavailable, so that no banner repeats it. */
  saysAway?: boolean;
}

export type QueryError = ResponseError | FetchError;
export type QueryResult<R extends RouteShape> = SWRResponse<ResponseOf<R>, QueryError> & {
  /** Number of the current retry, up to 10; 0 while nothing fails. */
  attempt: number;
};
/** The part of a query that error states need. */
export interface FailedQuery {
  error?: QueryError | undefined;
  attempt: number;
  mutate: () => Promise<unknown>;
}

const preloadedForMs = 10_000;
const preloadedAt = new Map<string, number>();

/** Puts a known answer into the cache without a request. */
export const keepAnswer = <R extends RouteShape>(route: R, input: Call<R>, answer: ResponseOf<R>): Promise<unknown> =>
  mutate(q(route, input), answer, { revalidate: false });

/** Prefetches into the cache. The opened page shows the cached answer immediately, revalidates it, and reports failures itself. */
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

/** With `undefined` or `false` as input, the hook sends no request. */
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
    // A new function restarts the timer at each render: a page that renders often would never poll.
    refreshInterval: typeof pollMs === 'function' ? (latest) => (isPolling ? pollMs(latest) : 0) : isPolling ? pollMs : 0,
    dedupingInterval: isPolling && intervalOf(undefined) < swrConfig.dedupingInterval ? polledDedupingMs : swrConfig.dedupingInterval,
  });
  // Assigned in place: spreading would read every getter, and SWR would then re-render the page for each of them.
  return Object.assign(result, { attempt });
};
