import { expect, test } from 'vitest';
import { parseLine } from './log-stream.ts';

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
