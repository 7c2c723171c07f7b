import { expect, test } from 'vitest';
import { parseLine, parseTextLine } from './log-stream.ts';

test('a line of the wire gets its address, its level and clean text', () => {
  const wire = {
    number: 7,
    at: '2026-11-20T12:00:00.000Z',
    instance: 'berth-1-abc',
    stream: 'stderr',
    line: '\u001B[33mWARN\u001B[0m slow',
  };
  expect(parseLine(JSON.stringify(wire))).toEqual({
    key: 'berth-1-abc:7',
    number: 7,
    at: wire.at,
    source: 'berth-1-abc',
    level: 'warn',
    text: 'WARN slow',
  });
});

test('what is no line is left out', () => {
  expect(['', 'null', '{"number":1}', '[1'].map(parseLine)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a line of the text gets a number of its own, since the text has none', () => {
  const raw = '2026-11-20T12:00:00.000Z berth-1-abc stderr Error: no berth is free';
  expect(parseTextLine(raw, 3)).toMatchObject({
    key: 'berth-1-abc:3',
    number: 3,
    source: 'berth-1-abc',
    level: 'error',
    text: 'Error: no berth is free',
  });
  expect(parseTextLine('', 4)).toBeUndefined();
});
