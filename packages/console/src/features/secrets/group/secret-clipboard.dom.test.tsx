import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copySecret } from './secret-clipboard.ts';

let text = '';
let isAllowed = true;
const clipboard = {
  writeText: async (next: string): Promise<void> => {
    if (!isAllowed) throw new DOMException('not focused', 'NotAllowedError');
    text = next;
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  text = '';
  isAllowed = true;
  vi.stubGlobal('navigator', { clipboard });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('the clipboard is emptied after half a minute, and not before', async () => {
  expect(await copySecret('hunter2')).toBe(true);
  await pass(29_999);
  expect(text).toBe('hunter2');
  await pass(1);
  expect(text).toBe('');
});

test('what was copied on this page meanwhile stays', async () => {
  await copySecret('hunter2');
  text = 'something else';
  document.dispatchEvent(new Event('copy'));
  await pass(60_000);
  expect(text).toBe('something else');
});

test('a second value has half a minute of its own', async () => {
  await copySecret('first');
  await pass(20_000);
  await copySecret('second');
  await pass(20_000);
  expect(text).toBe('second');
  await pass(10_000);
  expect(text).toBe('');
});

test('in the background it waits until the page has the focus again', async () => {
  await copySecret('hunter2');
  isAllowed = false;
  await pass(30_000);
  dispatchEvent(new Event('focus'));
  await pass(0);
  expect(text).toBe('hunter2');
  isAllowed = true;
  dispatchEvent(new Event('focus'));
  await pass(0);
  expect(text).toBe('');
});

test('a browser that refuses is reported, and nothing is emptied later', async () => {
  isAllowed = false;
  expect(await copySecret('hunter2')).toBe(false);
  isAllowed = true;
  text = 'untouched';
  await pass(60_000);
  expect(text).toBe('untouched');
});
