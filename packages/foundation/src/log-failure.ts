/**
 * Logs why a request or a sweep failed. An unavailable database takes one line, because the loss of its connection is logged separately.
 */
import { isDatabaseOutage } from './database-outage.ts';
import type { Log } from './ports/log.ts';

export const logFailure = (log: Log, error: unknown, about: Readonly<Record<string, unknown>>, text: string): void => {
  if (isDatabaseOutage(error)) log.warn({ ...about, reason: String(error) }, text);
  else log.error({ ...about, err: error }, text);
};
