/** A starting database rejects sessions. That is an outage and needs no stack trace. */
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '#db/connections.ts';
import { logFailure } from '#kernel/log-failure.ts';

/** PostgreSQL's response to any session during recovery. */
const refusal = (code: string): Buffer => {
  const fields = `SFATAL\0VFATAL\0C${code}\0Mthe database system is starting up\0\0`;
  const message = Buffer.alloc(5 + fields.length);
  message.write('E');
  message.writeInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  return message;
};

const lines: [level: string, fields: object, text: string][] = [];
const note = (level: string) => (fields: object, text: string) => void lines.push([level, fields, text]);
const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
let code = '';
const server = net.createServer((socket) => {
  socket.once('data', () => socket.end(refusal(code)));
  socket.on('error', () => undefined);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
beforeEach(() => void lines.splice(0));
afterAll(() => server.close());

const refused = async (sqlState: string): Promise<unknown> => {
  code = sqlState;
  const { port } = server.address() as net.AddressInfo;
  return createClient({ host: '127.0.0.1', port, user: 'platform', database: 'slipway' })
    .connect()
    .catch((error: unknown) => error);
};

test('one that starts up is an outage: a line without a trace', async () => {
  logFailure(log, await refused('57P03'), { path: '/v2/' }, 'registry: request failed');
  expect(lines).toEqual([['warn', { path: '/v2/', reason: 'error: the database system is starting up' }, 'registry: request failed']]);
});

test('anything else is an error with its trace', async () => {
  const error = await refused('28P01');
  logFailure(log, error, {}, 'registry: request failed');
  expect(lines).toEqual([['error', { err: error }, 'registry: request failed']]);
});
