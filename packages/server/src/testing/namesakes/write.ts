/** A write of the API as the namesake test carries it out: in the place under test, and before that in the namesakes if they need it. */
import { expect, vi } from 'vitest';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { Actor } from '../actors.ts';
import type { Request, TestApp } from '../app.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

/** Both apps can own a service of this name, since the name begins with the code of either. */
export const OWN_APP = 'berth';
export const OTHER_APP = 'berth-yard';
export const SERVICE = 'berth-yard';
/** Its code is the beginning of both: a write for it must not match them. */
export const PREFIX_APP = 'ber';
/** Another team's app, whose topics the accounts ask for. */
export const SHARING_APP = 'clearance';

export interface Place {
  readonly app: string;
  readonly env: Environment;
}
export interface World {
  readonly app: TestApp;
  /** URL that webhooks deliver to. */
  readonly receiver: string;
}
export interface Write {
  readonly route: RouteShape;
  /** The namesakes are made by the same call, before anything is done in the place under test. `only`: not called there. */
  readonly isInNamesakes?: boolean | 'only';
  readonly request?: Request | ((world: World, place: Place) => Request | Promise<Request>);
  readonly actor?: Actor;
  /** Prepares the engines for the write. */
  readonly before?: (world: World, place: Place) => Promise<unknown>;
  /** Acts while the runs that the write started are under way. */
  readonly meanwhile?: (world: World, place: Place) => Promise<unknown>;
  /** State in which the runs end. Defaults to COMPLETED. */
  readonly endsAs?: PipelineState;
  /** Waits for work that the write continues by itself. */
  readonly after?: (world: World, place: Place) => Promise<unknown>;
  /** Changes the namesake in production: that is what the write is for. */
  readonly reachesProduction?: boolean;
}

/** Until it no longer throws; also where `expect.poll` may not be used. */
export const eventually = (check: () => Promise<unknown>): Promise<unknown> => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 300 });

export const view = async <View>(
  { app }: World,
  place: Place,
  route: RouteShape,
  params: Readonly<Record<string, string>>,
): Promise<View> => {
  const { status, body } = await app.call('member', route, { params: { ...place, ...params } });
  expect(status, `${route.id} ${JSON.stringify(body)}`).toBe(200);
  return body as View;
};

const pipelinesOf = (body: unknown): string[] => {
  if (!isRecord(body)) return [];
  if (Array.isArray(body['pipelines'])) return body['pipelines'].flatMap(pipelinesOf);
  return typeof body['pipelineId'] === 'string' ? [body['pipelineId']] : [];
};

/** Carries the write out, and what it started, to the end. */
export const carryOut = async (write: Write, world: World, place: Place): Promise<void> => {
  const { route, request = {}, actor = 'member', before, meanwhile, endsAs = 'COMPLETED', after } = write;
  const { app } = world;
  await before?.(world, place);
  const asked = typeof request === 'function' ? await request(world, place) : request;
  const { status, body } = await app.call(actor, route, { ...asked, params: { ...place, ...asked.params } });
  expect(status, `${route.id} in ${place.app}/${place.env}: ${JSON.stringify(body)}`).toBe(statusOf(route));
  await meanwhile?.(world, place);
  for (const pipelineId of status === 202 ? pipelinesOf(body) : []) {
    const run = await app.ended(pipelineId);
    expect(run.status.state, `${route.id} in ${place.app}/${place.env}: ${JSON.stringify(run.status.steps)}`).toBe(endsAs);
  }
  await after?.(world, place);
};
