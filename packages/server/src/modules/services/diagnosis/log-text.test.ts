import { expect, test } from 'vitest';
import type { LogLine } from '#ports/runtime.ts';
import { logText } from './log-text.ts';

const since = new Date('2026-11-20T12:00:00Z');
const line = (number: number, text: string, at = since): LogLine => ({ at, instance: 'berth-1-a', stream: 'stdout', line: text, number });

test('text for people, without lines that are older than the revision', async () => {
  const lines = (async function* () {
    yield line(1, 'of an earlier service', new Date('2026-11-20T11:59:59Z'));
    yield line(2, 'hello');
  })();
  const texts: string[] = [];
  for await (const text of logText(lines, false, since)) texts.push(text);
  expect(texts).toEqual(['2026-11-20T12:00:00.000Z berth-1-a stdout hello\n']);
});

test('events say that the line is alive while nothing is written', async () => {
  let write: (value: LogLine) => void = () => undefined;
  const lines = (async function* () {
    yield await new Promise<LogLine>((resolve) => (write = resolve));
  })();
  const text = logText(lines, true, since, 20);
  expect((await text.next()).value).toBe(': open\n\n');
  expect((await text.next()).value).toBe(': ping\n\n');
  write(line(7, 'hello'));
  expect((await text.next()).value).toContain('"number":7');
  expect((await text.next()).done).toBe(true);
});
