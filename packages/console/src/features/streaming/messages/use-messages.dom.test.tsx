/** A search by key continues until it fills a page, reaches the end, or is stopped. */
import { act, useEffect } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useMessages, type Asked, type Messages } from './use-messages.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
interface Input {
  readonly query: { readonly next?: string };
}
const answer = vi.fn<(next: string | undefined) => object>();
vi.mock(import('#kit/api/call.ts'), () => ({ call: (async (_: unknown, { query }: Input) => answer(query.next)) as never }));

let root: Root;
let seen: Messages;
const place = { app: 'berth', env: 'development', topic: 'events' } as const;
const asked: Asked = { from: 'NEWEST', partition: '', offset: '', time: '', key: 'rare' };
function Browser({ of }: { of: Asked }) {
  const messages = useMessages(place, of);
  useEffect(() => {
    seen = messages;
  });
  return null;
}
const show = (of: Asked) => act(async () => root.render(<Browser of={of} />));
const settle = () => act(async () => {});
const message = (offset: number) => ({ partition: 0, offset: String(offset) });
const nothing = (next: number) => ({
  messages: [],
  skipped: [],
  next: String(next),
  scanned: 1000,
  left: 5000 - 1000 * next,
  isPartial: true,
});

beforeEach(() => {
  answer.mockReset();
  root = createRoot(document.createElement('div'));
});
afterEach(() => act(async () => root.unmount()));

test('goes on by itself until the end, and says how far it came', async () => {
  answer.mockImplementation((next) =>
    next === '4'
      ? { messages: [message(7)], skipped: [], next: null, scanned: 1000, left: 0, isPartial: false }
      : nothing(Number(next ?? 0) + 1),
  );
  await show(asked);
  await vi.waitFor(async () => (await settle(), expect(seen.rows).toHaveLength(1)));
  expect(seen).toMatchObject({ scanned: 5000, left: 0, next: null, isSearching: false });
  expect(answer.mock.calls.map(([next]) => next)).toEqual([undefined, '1', '2', '3', '4']);
});

test('stops when somebody says so, and goes on when more is asked for', async () => {
  let release: (() => void) | undefined;
  answer.mockImplementation((next) =>
    next === undefined ? nothing(1) : new Promise((resolve) => (release = () => resolve(nothing(Number(next) + 1)))),
  );
  await show(asked);
  await settle();
  expect(seen).toMatchObject({ isSearching: true, left: 4000 });
  await act(async () => seen.stop());
  await act(async () => release?.());
  expect(seen).toMatchObject({ isSearching: false, scanned: 2000 });
  expect(answer).toHaveBeenCalledTimes(2);
  await act(async () => seen.more());
  expect(seen.isSearching).toBe(true);
  expect(answer).toHaveBeenCalledTimes(3);
});

test('an answer to what was asked before is not shown, and without a key nothing goes on by itself', async () => {
  let late: (() => void) | undefined;
  answer.mockImplementation((next) => (next === undefined ? nothing(1) : new Promise((resolve) => (late = () => resolve(nothing(2))))));
  await show(asked);
  await settle();
  await show({ ...asked, key: '' });
  await settle();
  await act(async () => late?.());
  expect(seen).toMatchObject({ isSearching: false, scanned: 1000 });
  expect(answer).toHaveBeenCalledTimes(3);
});
