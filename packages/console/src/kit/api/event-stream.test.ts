import { expect, test } from 'vitest';
import { createEventParser } from './event-stream.ts';

const parsed = (...chunks: string[]): string[] => {
  const found: string[] = [];
  const parse = createEventParser((data, event) => found.push(event === 'message' ? data : `${event}: ${data}`));
  for (const chunk of chunks) parse(chunk);
  return found;
};

test('events end at an empty line, wherever the chunks break', () => {
  expect(parsed('data: {"a"', ':1}\n', '\nda', 'ta: 2\n\n')).toEqual(['{"a":1}', '2']);
});
test('an event keeps its name, and the next one starts without', () => {
  expect(parsed('event: resync\ndata: {}\n\ndata: a\n\n')).toEqual(['resync: {}', 'a']);
});
test('lines of one event are joined', () => {
  expect(parsed('data: a\ndata: b\n\n')).toEqual(['a\nb']);
});
test('heartbeats, other fields and unfinished events say nothing', () => {
  expect(parsed(': ping\n\n', 'event: x\nid: 4\n\n', 'data: late\n')).toEqual([]);
});
test('CRLF split between chunks is one line end', () => {
  expect(parsed('data: a\r', '\n\r\n', 'data: b\r\n\r\n')).toEqual(['a', 'b']);
});
