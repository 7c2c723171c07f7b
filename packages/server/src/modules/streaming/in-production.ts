/** Shared by promotions: they go from development to production, through production's write handlers with all their checks. */
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

/** Returns a fingerprint of production's state. Clients send the fingerprint of the comparison they promote. */
export const markOf = (there: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(there ?? null))
    .digest('base64url')
    .slice(0, 22);
const outdated = (cause?: unknown) => new Problem('ProductionChangedMeanwhile', { field: 'mark', cause });
/** Throws if production has changed since the comparison. */
export const requireMark = (asked: string | undefined, mark: string): void => {
  if (asked !== undefined && asked !== mark) throw outdated();
};
/** Returns whether the error means that someone created, changed or deleted the resource after the comparison. */
const isMeanwhile = (error: unknown): boolean => {
  if (!(error instanceof Problem)) return false;
  const codes: readonly ErrorCode[] = [
    'SchemaChangedMeanwhile',
    'SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS',
    'TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS',
    'ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS',
  ];
  const missing: readonly ErrorCode[] = ['SchemaDoesNotExist', 'TopicDoesNotExist', 'AccountDoesNotExist'];
  // With a field, the error concerns another resource named there.
  return codes.includes(error.code) || (missing.includes(error.code) && error.errors.every(({ field }) => field === undefined));
};

/** Runs a write in production. A conflict with a change since the comparison becomes ProductionChangedMeanwhile. */
export const writeInProduction = async (handler: Handler, c: Context<RouteShape>, body: unknown): Promise<PlanOrRun> => {
  const asked = { ...c, params: inProduction(c.params), environment: 'production', body };
  try {
    return await (handler.answer(asked as never) as Promise<PlanOrRun>);
  } catch (error) {
    throw isMeanwhile(error) ? outdated(error) : error;
  }
};
