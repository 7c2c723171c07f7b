/** Where a page of streaming stands, and what of it everybody may see: definitions are readable by every signed-in identity. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { streamingInfoView } from '@slipway/contract/streaming/streaming.ts';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';

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
