/** Other names of a body's fields in the specification. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { Problem } from '#kernel/problem.ts';

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce((part: unknown, name) => (isRecord(part) && Object.hasOwn(part, name) ? part[name] : undefined), body);

/** Fills the body's fields from their other names. Throws InvalidValue if a body carries both with different values. */
export const withAliases = ({ aliases }: RouteShape, body: unknown): unknown => {
  // Other bodies may be streams.
  if (!aliases || !isRecord(body)) return body;
  const filled = { ...body };
  for (const [alias, name] of Object.entries(aliases)) {
    const value = valueAt(body, alias);
    if (value === undefined) continue;
    if (filled[name] !== undefined && filled[name] !== value) throw new Problem('InvalidValue', { field: alias });
    filled[name] = value;
  }
  return filled;
};
