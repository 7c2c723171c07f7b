/** Runs a write as a dry run. */
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type * as z from 'zod/mini';
import { call } from '#kit/api/call.ts';

/** A write that returns a plan for a dry run. */
export type PlannedRoute = RouteShape & { readonly query: z.ZodMiniObject; readonly response: typeof PlanOrRun };

/** Throws what `call` throws, with the same errors as the real write. */
export const dryRun = async <R extends PlannedRoute>(route: R, input: Call<R>, signal?: AbortSignal): Promise<PlanOrRun> => {
  const asked = { ...input, query: { ...input.query, dryRun: 'true' } } as Call<R>;
  return (await call(route, asked, { signal })) as PlanOrRun;
};
