/** Logs what failed a request or a round of work: a database that is away in one line, since its loss is logged where it is noticed. */
import { isDatabaseOutage } from '#db/outage.ts';
import type { Log } from '#ports/log.ts';

export const logFailure = (log: Log, error: unknown, about: Readonly<Record<string, unknown>>, text: string): void => {
  if (isDatabaseOutage(error)) log.warn({ ...about, reason: String(error) }, text);
  else log.error({ ...about, err: error }, text);
};
