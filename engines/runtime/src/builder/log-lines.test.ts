import { Readable } from 'node:stream';

import { expect, test } from 'vitest';

import { bytesText, durationText } from './amounts.ts';
import { BuildLog, withoutSecrets } from './log-lines.ts';

test.each([
  ['npm http fetch GET 200 https://ci:s3cret@npm.example/pkg', 'npm http fetch GET 200 https://***@npm.example/pkg'],
  ['//npm.example/:_authToken=npm_abc', '//npm.example/:_authToken=***'],
  ['DB_PASSWORD="hunter2" set', 'DB_PASSWORD="***" set'],
  ['Authorization: Bearer eyJhbGciOi.abc', 'Authorization: Bearer ***'],
  ['{"apiKey":"abc","GITHUB_TOKEN":"ghp_1"}', '{"apiKey":"***","GITHUB_TOKEN":"***"}'],
  ['SyntaxError: Unexpected token: } in basic tests', 'SyntaxError: Unexpected token: } in basic tests'],
  ['added 12 packages in 2s', 'added 12 packages in 2s'],
])('%j is shown as %j', (line, shown) => {
  expect(withoutSecrets(line)).toBe(shown);
});

test('a program’s output comes as whole lines, without colours, and ends somewhere', async () => {
  const lines: string[] = [];
  const log = new BuildLog((line) => lines.push(line));
  await log.follow(Readable.from([Buffer.from('one\ntw'), Buffer.from('o\r\n\n\u001b[31mred\u001b[0m'), Buffer.from('\nlast')]), 'stdout');
  expect(lines).toEqual(['  one', '  two', '  red', '  last']);
  await log.follow(Readable.from([Buffer.from('x\n'.repeat(9000))]), 'stdout');
  expect(lines).toHaveLength(4999);
  expect(lines.at(-1)).toBe('  … further output is left out');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 kB'],
  [129_512_345, '130 MB'],
  [12_300_000_000, '12.3 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test('durations are in milliseconds, then in seconds', () => {
  expect([durationText(12.4), durationText(12_345)]).toEqual(['12 ms', '12.3 s']);
});

test('the last words of a failure are npm’s sentence, or else the last line that is no noise', async () => {
  const log = new BuildLog(() => undefined);
  await log.follow(Readable.from([Buffer.from('> build\n> tsc\na.ts(1,1): error TS1005\n')]), 'stdout');
  expect(log.lastWords()).toBe('a.ts(1,1): error TS1005');
  await log.follow(Readable.from([Buffer.from('Error: no wind\n    at main (x.js:1:1)\n')]), 'stderr');
  expect(log.lastWords()).toBe('Error: no wind');
  await log.follow(Readable.from([Buffer.from('npm error code E404\nnpm error 404 Not Found - x\nnpm error 404\n')]), 'stderr');
  expect(log.lastWords()).toBe('Not Found - x');
  log.say('the next command');
  expect(log.lastWords()).toBe('');
});
