/** Asks the server what a write would do, and nothing else. */
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type * as z from 'zod/mini';
import { call } from '#kit/api/call.ts';

/** A write that answers a plan when it is asked for a dry run. */
export type PlannedRoute = RouteShape & { readonly query: z.ZodMiniObject; readonly response: typeof PlanOrRun };

/** Throws what `call` throws: what the real write would refuse is refused here already. */
export const dryRun = async <R extends PlannedRoute>(route: R, input: Call<R>, signal?: AbortSignal): Promise<PlanOrRun> => {
  const asked = { ...input, query: { ...input.query, dryRun: 'true' } } as Call<R>;
  return (await call(route, asked, { signal })) as PlanOrRun;
};
