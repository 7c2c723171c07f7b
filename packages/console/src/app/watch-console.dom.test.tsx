/** Errors of the console until its monitoring starts. */
import { expect, test, vi } from 'vitest';
import { watchConsole } from './watch-console.ts';

const started = vi.hoisted(() => vi.fn<(settings: unknown, early: readonly Error[]) => void>());
vi.mock(import('./start-faro.ts'), () => ({ startFaro: started }));
vi.mock(import('#kit/later/page-ready.ts'), async (original) => ({
  ...(await original()),
  whenPageReady: (run) => {
    run();
    return () => undefined;
  },
}));

const settings = { url: '/collect/console', apiKey: 'key', name: 'slipway-console', version: '1', environment: 'production' } as const;
const fail = (): void => {
  dispatchEvent(new ErrorEvent('error', { error: new Error('of a script') }));
  dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'of a promise' }));
};

test('without settings nothing starts', async () => {
  const watch = watchConsole();
  fail();
  watch.begin(null);
  await vi.dynamicImportSettled();
  expect(started).not.toHaveBeenCalled();
});

test('errors and rejections from before the start are reported', async () => {
  const watch = watchConsole();
  fail();
  watch.begin(settings);
  await vi.waitFor(() => expect(started).toHaveBeenCalledOnce());
  const [given, early] = started.mock.calls[0] ?? [];
  expect(given).toBe(settings);
  expect(early?.map(({ message }) => message)).toEqual(['of a script', 'of a promise']);
});
