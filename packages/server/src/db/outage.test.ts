import net from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';

const sql = (code: string) => Object.assign(new Error('words'), { code });
const errno = (code: string, syscall: string) => Object.assign(new Error('words'), { code, syscall });

test.each([
  ['an administrator’s shutdown', sql('57P01'), true],
  ['a crash', sql('57P02'), true],
  ['a start', sql('57P03'), true],
  ['a session that sat idle in a transaction', sql('25P03'), true],
  ['a broken connection', sql('08006'), true],
  ['too many connections', sql('53300'), true],
  ['a full disk', sql('53100'), true],
  ['a socket that is not there', errno('ENOENT', 'connect'), true],
  ['a name that does not resolve', errno('ENOTFOUND', 'getaddrinfo'), true],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect'), true],
  ['a cancelled statement', sql('57014'), false],
  ['a row that is there already', sql('23505'), false],
  ['a wrong password', sql('28P01'), false],
  ['a lost race', sql('40001'), false],
  ['a file that is not there', errno('ENOENT', 'open'), false],
  ['no error', 'words', false],
])('%s', (_name, error, isOutage) => {
  expect(isDatabaseOutage(error)).toBe(isOutage);
});

test('a name of which every address refuses', async () => {
  const server = net.createServer();
  const port = await new Promise<number>((resolve) => server.listen(0, () => resolve((server.address() as net.AddressInfo).port)));
  await new Promise((resolve) => server.close(resolve));
  const client = new pg.Client({ host: 'localhost', port });
  expect(isDatabaseOutage(await client.connect().catch((error: unknown) => error))).toBe(true);
  expect(isDatabaseOutage(new AggregateError([errno('ECONNREFUSED', 'connect'), errno('ECONNREFUSED', 'connect')]))).toBe(true);
  expect(isDatabaseOutage(new AggregateError([]))).toBe(false);
});

test('a statement that took too long is no database that is away', () => {
  expect([sql('57014'), sql('55P03'), sql('57P01'), sql('23505')].map(isStatementTimeout)).toEqual([true, true, false, false]);
});
