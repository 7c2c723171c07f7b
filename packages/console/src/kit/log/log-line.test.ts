import { expect, test } from 'vitest';
import { cleanText, levelOf, messageOfLine, shownLine } from './log-line.ts';

test.each([
  ['{"level":50,"msg":"no berth"}', 'error'],
  ['{"level":40,"msg":"slow"}', 'warn'],
  ['{"level":"info","msg":"error budget is fine"}', 'info'],
  ['time=12:00 level=warn msg="tide late"', 'warn'],
  ['severity=ERROR upstream', 'error'],
  ['ERROR connect refused', 'error'],
  ['TypeError: x is not a function', 'error'],
  ['    at TideClient.window (client.js:88:13)', 'info'],
  ['Uncaught exception', 'error'],
  ['97 Error: tide-sync did not answer', 'error'],
  ['0 errors, 0 warnings', 'info'],
  ['(node:12) DeprecationWarning: punycode', 'warn'],
  ['WARN heap 612 of 768', 'warn'],
  ['GET /errors 200', 'info'],
])('%s is %s', (text, level) => {
  expect(levelOf(text)).toBe(level);
});

test('what terminals draw with is left out', () => {
  expect(cleanText('\u001B[31mred\u001B[0m\tafter\u0007 \r')).toBe('red    after');
});

test.each([
  ['plain words', 'plain words', []],
  ['{"level":30,"time":1,"pid":7,"msg":"done","req":{"url":"/healthz"},"ms":1.5}', 'done', ['req.url=/healthz', 'ms=1.5']],
  ['{"message":"up","list":[1,2],"none":null}', 'up', ['list=[1,2]', 'none=null']],
  ['{"a":1}', '', ['a=1']],
  ['{broken', '{broken', []],
  ['[1]', '[1]', []],
])('%s is read as a message and fields', (text, message, fields) => {
  expect(messageOfLine(text)).toEqual({ message, fields });
});

test.each([
  ['{"level":50,"msg":"no berth","ms":3}', { level: 'error', text: 'no berth ms=3', messageLength: 8 }],
  ['{"level":30,"msg":"up"}', { level: 'info', text: 'up' }],
  ['{"a":1}', { level: 'info', text: 'a=1', messageLength: 0 }],
  ['\u001B[31mERROR plain\u001B[0m', { level: 'error', text: 'ERROR plain' }],
])('a log shows %s as its message, then its fields', (raw, shown) => {
  expect(shownLine(raw)).toEqual(shown);
});
