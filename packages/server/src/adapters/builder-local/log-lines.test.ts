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
  await log.follow(Readable.from([Buffer.from('one\ntw'), Buffer.from('o\r\n\n\u001b[31mred\u001b[0m'), Buffer.from('\nlast')]));
  expect(lines).toEqual(['  one', '  two', '  red', '  last']);
  await log.follow(Readable.from([Buffer.from('x\n'.repeat(9000))]));
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
