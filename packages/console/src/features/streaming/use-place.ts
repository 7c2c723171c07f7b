/** App and environment of a streaming page, and data that everyone may see: every signed-in identity can read definitions. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { streamingInfoView } from '@slipway/contract/streaming/streaming.ts';
import { useEffect, useEffectEvent } from 'react';
import type { EntityPlace } from '#entities/resource/entity-route.tsx';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';
import { isEngineAway, useQuery, type QueryOptions, type QueryResult } from '#kit/api/query.ts';

export interface EventsPlace {
  app: string;
  env: Environment;
}
export type TopicPlace = EntityPlace<'topic'>;
export type SchemaPlace = EntityPlace<'schema'>;
export type AccountPlace = EntityPlace<'account'>;

/** Lag, sizes and cluster state change without a change event. */
export const observedMs = 5000;

export const useEventsPlace = (): { at: AppPlace; place: EventsPlace | undefined } => {
  const at = useAppPlace();
  return { at, place: at.env && { app: at.app, env: at.env } };
};

export const useStreamingInfo = (place: EventsPlace | undefined): QueryResult<typeof streamingInfoView> =>
  useQuery(streamingInfoView, place && { params: { ...place } }, { pollMs: 30_000, isAlwaysPolled: true });

/** True while one of the engines is unreachable, so the data shown may be outdated. */
export const useIsAway = (place: EventsPlace | undefined, ...engines: readonly ('cluster' | 'registry')[]): boolean => {
  const { data } = useStreamingInfo(place);
  return data !== undefined && engines.some((engine) => data[engine].state === 'UNREACHABLE');
};

/** When a query finds an engine unreachable, refreshes the engine state, so that the page's notice appears immediately. */
export const useAskWhoIsAway = (place: EventsPlace, isAway: boolean): void => {
  const info = useStreamingInfo(place);
  const askWho = useEffectEvent(() => void info.mutate());
  useEffect(() => {
    if (isAway) askWho();
  }, [isAway]);
};

/**
 * Queries data that only the cluster or the registry has. If the engine is unreachable, the page's single notice reports it immediately.
 */
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
