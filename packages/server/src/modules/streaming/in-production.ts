/** What promotions have in common: they go from development alone, by the writes of production with all of their checks. */
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { Context, Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Names } from '#modules/resources/index.ts';

export const requireDevelopment = (names: Names): void => {
  if (names['env'] !== 'development') throw new Problem('PromotionFromDevelopment');
};
export const inProduction = (names: Names): Names => ({ ...names, env: 'production' });

/** As if it were asked for in production. */
export const writeInProduction = (handler: Handler, c: Context<RouteShape>, body: unknown): Promise<PlanOrRun> => {
  const asked = { ...c, params: inProduction(c.params), environment: 'production', body };
  return handler.answer(asked as never) as Promise<PlanOrRun>;
};
