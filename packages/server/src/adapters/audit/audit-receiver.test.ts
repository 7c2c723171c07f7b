/** Receivers of the audit log over TLS, and receivers that do not do what they should. */
import { once } from 'node:events';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { ownCertificate } from '#testing/own-certificate.ts';
import { auditReceiverOf } from './audit-receiver.ts';
import { SyslogReceiver, syslogFrame } from './syslog-receiver.ts';

const message = { at: new Date('2026-11-25T12:00:00.123Z'), level: 'WARNING', type: 'serviceUpdate', json: '{"id":"act_1"}' } as const;
const trusted = tls.getCACertificates('default');
let own: { key: string; cert: string };
let received = '';
let server: net.Server | undefined;
const sockets = new Set<net.Socket>();
beforeAll(async () => {
  own = await ownCertificate();
});
afterEach(async () => {
  tls.setDefaultCACertificates(trusted);
  received = '';
  const closing = server;
  server = undefined;
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  if (closing) await new Promise((resolve) => closing.close(resolve));
});
const listen = async (of: net.Server): Promise<string> => {
  server = of.on('connection', (socket: net.Socket) => sockets.add(socket));
  await once(of.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(of.address() as AddressInfo).port}`;
};
const read = (socket: net.Socket): void => {
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  socket.on('error', () => {});
};
const receiverAt = (url: string) => auditReceiverOf({ url, authorization: undefined, sender: 'slipway.example.com' });
const servers = {
  tls: () => tls.createServer(own, read),
  https: () =>
    https.createServer(own, (request, response) => {
      request.setEncoding('utf8').on('data', (part: string) => (received += part));
      request.on('end', () => response.end());
    }),
};

test('a message has the header of RFC 5424, and its length before it', () => {
  const line = '<108>1 2026-11-25T12:00:00.123Z slipway.example.com slipway - serviceUpdate - {"id":"act_1"}';
  expect(syslogFrame(message, 'slipway.example.com')).toBe(`${line.length} ${line}`);
  expect(syslogFrame({ ...message, type: 'a b\nü' }, '')).toContain(' - slipway - ab - {');
});

test.each(['tls', 'https'] as const)('%s: a certificate that nobody trusts is refused in words, and no entry is sent', async (scheme) => {
  const receiver = receiverAt(`${scheme}://${await listen(servers[scheme]())}`);
  const refusal = /^Its certificate is not trusted: self-signed certificate\. A private authority belongs into NODE_EXTRA_CA_CERTS$/;
  await expect(receiver.send([message])).rejects.toThrow(refusal);
  await expect(receiver.probe()).rejects.toThrow(refusal);
  expect(received).toBe('');
});

test.each(['tls', 'https'] as const)('%s: a trusted certificate is accepted', async (scheme) => {
  tls.setDefaultCACertificates([...trusted, own.cert]);
  const receiver = receiverAt(`${scheme}://${await listen(servers[scheme]())}`);
  await receiver.probe();
  expect(received).toBe('');
  await receiver.send([message, message]);
  expect(received.split('"act_1"')).toHaveLength(3);
});

test('a receiver that never ends the connection has perhaps not read everything', async () => {
  const at = await listen(net.createServer({ allowHalfOpen: true }, read));
  const receiver = new SyslogReceiver({ url: `tcp://${at}`, sender: 'here', timeoutMs: 200 });
  await expect(receiver.send([message])).rejects.toThrow('It did not end the connection within 0.2 s');
});

test('a receiver that ends the connection at once has not read everything', async () => {
  const at = await listen(net.createServer((socket) => socket.on('error', () => {}).end()));
  const large = Array.from({ length: 2000 }, () => ({ ...message, json: 'x'.repeat(8000) }));
  await expect(receiverAt(`tcp://${at}`).send(large)).rejects.toThrow();
});

test.each([
  ['a redirect', 302, 'It answered 302'],
  ['an error', 500, 'It answered 500'],
  ['refused credentials', 401, 'It refuses the credentials (401)'],
])('%s is no delivery', async (_, status, text) => {
  tls.setDefaultCACertificates([...trusted, own.cert]);
  const at = await listen(https.createServer(own, (_request, response) => response.writeHead(status, { location: '/' }).end()));
  await expect(receiverAt(`https://${at}`).send([message])).rejects.toThrow(text);
});
