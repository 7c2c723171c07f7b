/** What promotions have in common: they go from development alone, by the writes of production with all of their checks. */
import { createHash } from 'node:crypto';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { Context, Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Names } from '#modules/resources/index.ts';

export const requireDevelopment = (names: Names): void => {
  if (names['env'] !== 'development') throw new Problem('PromotionFromDevelopment');
};
export const inProduction = (names: Names): Names => ({ ...names, env: 'production' });

/** Stands for what production has: whoever promotes says which comparison that is about. */
export const markOf = (there: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(there ?? null))
    .digest('base64url')
    .slice(0, 22);
const outdated = (cause?: unknown) => new Problem('ProductionChangedMeanwhile', { field: 'mark', cause });
/** What was looked at is not what production has any more. */
export const requireMark = (asked: string | undefined, mark: string): void => {
  if (asked !== undefined && asked !== mark) throw outdated();
};
/** Between the look and the write somebody has made, changed or deleted it there. */
const isMeanwhile = (error: unknown): boolean => {
  if (!(error instanceof Problem)) return false;
  const codes: readonly ErrorCode[] = [
    'SchemaChangedMeanwhile',
    'SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS',
    'TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS',
    'ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS',
  ];
  const missing: readonly ErrorCode[] = ['SchemaDoesNotExist', 'TopicDoesNotExist', 'AccountDoesNotExist'];
  // With a field it is something else that is named there.
  return codes.includes(error.code) || (missing.includes(error.code) && error.errors.every(({ field }) => field === undefined));
};

/** As if it were asked for in production. What speaks of a form that nobody has filled in is said of the promotion. */
export const writeInProduction = async (handler: Handler, c: Context<RouteShape>, body: unknown): Promise<PlanOrRun> => {
  const asked = { ...c, params: inProduction(c.params), environment: 'production', body };
  try {
    return await (handler.answer(asked as never) as Promise<PlanOrRun>);
  } catch (error) {
    throw isMeanwhile(error) ? outdated(error) : error;
  }
};
