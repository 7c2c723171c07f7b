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

/** True while the cluster does not answer: what is shown was seen before, and nobody knows whether it still is so. */
export const useIsClusterAway = (place: EventsPlace | undefined): boolean => useStreamingInfo(place).data?.cluster.state === 'UNREACHABLE';

/** Asks what the cluster or the registry alone knows. One notice of the page says that it is away, and is asked for as soon as it is. */
export const useEngineQuery = <R extends RouteShape>(
  place: EventsPlace,
  route: R,
  input: Call<R> | undefined | false,
  options: QueryOptions<R> = {},
): QueryResult<R> => {
  const info = useStreamingInfo(place);
  const query = useQuery(route, input, { ...options, saysAway: true });
  const isAway = isEngineAway(query.error);
  const askWho = useEffectEvent(() => void info.mutate());
  useEffect(() => {
    if (isAway) askWho();
  }, [isAway]);
  return query;
};
