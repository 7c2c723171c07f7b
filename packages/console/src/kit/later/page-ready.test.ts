import { beforeEach, expect, test, vi } from 'vitest';

type PageReady = typeof import('./page-ready.ts');
let page: PageReady;
let isReady: boolean;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  page = await import('./page-ready.ts');
  isReady = false;
  void page.pageReady.then(() => (isReady = true));
  return () => vi.useRealTimers();
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('the page stands when nothing is asked any more for a moment', async () => {
  page.expectPage();
  const [code, data] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  void page.whileAsking(code.promise);
  await pass(1000);
  code.resolve();
  await pass(200);
  // The page's first request follows its code.
  void page.whileAsking(data.promise);
  await pass(2000);
  expect(isReady).toBe(false);
  data.resolve();
  await pass(299);
  expect(isReady).toBe(false);
  await pass(1);
  expect(isReady).toBe(true);
});

test('a failed answer counts as one, and an answer that does not come holds nothing up for ever', async () => {
  page.expectPage();
  await expect(page.whileAsking(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await pass(300);
  expect(isReady).toBe(true);

  vi.resetModules();
  page = await import('./page-ready.ts');
  isReady = false;
  void page.pageReady.then(() => (isReady = true));
  void page.whileAsking(new Promise(() => undefined));
  await pass(6000);
  expect(isReady).toBe(true);
});
