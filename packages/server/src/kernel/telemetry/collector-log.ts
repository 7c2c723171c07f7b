/** Logs when the collector stops and starts to accept something. Only changes, because a collector may be away for days. */
import { errorMessage } from '#kernel/caught.ts';
import type { Log } from '#ports/log.ts';

export const collectorLog = (log: Log, what: 'spans' | 'metrics'): ((error: Error | undefined) => void) => {
  let isDown = false;
  return (error) => {
    if (error && !isDown) log.warn({ reason: errorMessage(error) }, `The collector does not accept ${what}`);
    if (!error && isDown) log.info({}, `The collector accepts ${what} again`);
    isDown = error !== undefined;
  };
};
