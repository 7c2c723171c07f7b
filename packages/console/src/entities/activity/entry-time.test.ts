import { expect, test } from 'vitest';
import { entryTime, spanAround } from './entry-time.ts';

// In the server's format: nine characters for 1 795 182 063 000 ms, then eleven random ones.
const id = 'act_1m7vx9wvr0123456789a';

test('the time of an entry is read off its id', () => {
  const at = entryTime(id);
  expect(at).toBeTypeOf('number');
  const { from, to } = spanAround(id) ?? { from: '', to: '' };
  expect(Date.parse(to) - Date.parse(from)).toBe(240_000);
  expect((Date.parse(from) + Date.parse(to)) / 2).toBe(at);
});

test.each(['', 'act_', 'act_short', '1m7vx9wvr', 'act_1m7vx9w!r0123456789a'])('%j is no id', (text) => {
  expect(entryTime(text)).toBeUndefined();
  expect(spanAround(text)).toBeUndefined();
});
