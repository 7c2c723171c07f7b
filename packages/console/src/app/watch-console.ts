/**
 * Watches the console itself with Faro's SDK, which loads after the first page is shown. Errors until then wait in a short buffer. Without
 * settings for it nothing loads and nothing is kept.
 */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { whenPageReady } from '#kit/later/page-ready.ts';

const MAX_EARLY = 30;

export interface EarlyErrors {
  /** Starts the SDK when the page is ready. Drops the buffer if nothing is configured. */
  begin: (settings: RuntimeConfig['monitoring']) => void;
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export const watchConsole = (): EarlyErrors => {
  const errors: Error[] = [];
  const keep = (thrown: unknown): void => {
    if (errors.length < MAX_EARLY) errors.push(toError(thrown));
  };
  const onError = (event: ErrorEvent): void => keep(event.error ?? event.message);
  const onRejection = (event: PromiseRejectionEvent): void => keep(event.reason);
  addEventListener('error', onError);
  addEventListener('unhandledrejection', onRejection);
  const end = (): void => {
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
  };
  return {
    begin: (settings) => {
      if (!settings) return end();
      whenPageReady(() => {
        void import('./start-faro.ts').then(({ startFaro }) => {
          end();
          startFaro(settings, errors);
        }, end);
      });
    },
  };
};
