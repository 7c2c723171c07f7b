/** Where a page of streaming stands, and what of it everybody may see: definitions are readable by every signed-in identity. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { streamingInfoView } from '@slipway/contract/streaming/streaming.ts';
import { useEffect, useEffectEvent } from 'react';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';
import { isEngineAway, useQuery, type QueryOptions, type QueryResult } from '#kit/api/query.ts';

export interface EventsPlace {
  app: string;
  env: Environment;
}

/** Lag, sizes and the state of the cluster change without a hint. */
export const observedMs = 5000;

export const useEventsPlace = (): { at: AppPlace; place: EventsPlace | undefined } => {
  const at = useAppPlace();
  return { at, place: at.env && { app: at.app, env: at.env } };
};

export const useStreamingInfo = (place: EventsPlace | undefined): QueryResult<typeof streamingInfoView> =>
  useQuery(streamingInfoView, place && { params: { ...place } }, { pollMs: 30_000, isAlwaysPolled: true });

/** True while one of them does not answer: what is shown was seen before, and nobody knows whether it still is so. */
export const useIsAway = (place: EventsPlace | undefined, ...engines: readonly ('cluster' | 'registry')[]): boolean => {
  const { data } = useStreamingInfo(place);
  return data !== undefined && engines.some((engine) => data[engine].state === 'UNREACHABLE');
};

/** Who found that an engine is away asks which it is: the page's one notice is there at once. */
export const useAskWhoIsAway = (place: EventsPlace, isAway: boolean): void => {
  const info = useStreamingInfo(place);
  const askWho = useEffectEvent(() => void info.mutate());
  useEffect(() => {
    if (isAway) askWho();
  }, [isAway]);
};

/** Asks what the cluster or the registry alone knows. One notice of the page says that it is away, and is asked for as soon as it is. */
export const useEngineQuery = <R extends RouteShape>(
  place: EventsPlace,
  route: R,
  input: Call<R> | undefined | false,
  options: QueryOptions<R> = {},
): QueryResult<R> => {
  const query = useQuery(route, input, { ...options, saysAway: true });
  useAskWhoIsAway(place, isEngineAway(query.error));
  return query;
};
