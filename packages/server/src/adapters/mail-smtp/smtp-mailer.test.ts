/** Mail over TLS with a password, against a real SMTP server with a certificate of our own. */
import net from 'node:net';
import tls from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownCertificate } from '#testing/own-certificate.ts';
import { SmtpMailer, type SmtpOptions } from './smtp-mailer.ts';

const user = 'slipway';
const password = 'correct horse';
const mail = { id: 'msg_1', to: 'olga@example.test', subject: 'A pipeline failed', text: 'berth-api' };
const received: { text: string; isSecure: boolean; user: string | undefined }[] = [];
const attempts: (string | undefined)[] = [];
const trusted = tls.getCACertificates('default');
let certificate: string;
const servers: SMTPServer[] = [];

const serve = async (options: ConstructorParameters<typeof SMTPServer>[0]): Promise<number> => {
  const server = new SMTPServer({
    disabledCommands: [],
    ...options,
    onAuth: ({ username, password: given }, _session, answer) => {
      attempts.push(given ?? undefined);
      if (username === user && given === password) answer(null, { user: username });
      else answer(Object.assign(new Error('Invalid credentials'), { responseCode: 535 }));
    },
    onData: (stream, session, done) => {
      let text = '';
      stream.on('data', (part: Buffer) => (text += part.toString('utf8')));
      stream.on('end', () => {
        received.push({ text, isSecure: session.secure, user: session.user });
        done();
      });
    },
  });
  // Clients that refuse the certificate end the connection.
  server.on('error', () => {});
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as net.AddressInfo).port;
};
const ports = { implicit: 0, starttls: 0, plain: 0 };

beforeAll(async () => {
  const { key, cert } = await ownCertificate();
  certificate = cert;
  ports.implicit = await serve({ secure: true, key, cert });
  ports.starttls = await serve({ key, cert });
  ports.plain = await serve({ hideSTARTTLS: true, allowInsecureAuth: true });
});
afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  for (const server of servers) await new Promise<void>((resolve) => server.close(() => resolve()));
});

const send = async (options: Partial<SmtpOptions> & Pick<SmtpOptions, 'port' | 'tls'>): Promise<string> => {
  const mailer = new SmtpMailer({ host: 'localhost', from: 'Slipway <slipway@example.test>', user, password, ...options });
  try {
    return await mailer.send(mail, AbortSignal.timeout(8000));
  } finally {
    await mailer.close();
  }
};

test.each(['implicit', 'required'] as const)('refuses a certificate that nobody trusts, and sends no password: %s', async (mode) => {
  const port = mode === 'implicit' ? ports.implicit : ports.starttls;
  await expect(send({ port, tls: mode })).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(/certificate/i) as string,
  });
  expect([attempts, received]).toEqual([[], []]);
});

test('sends no password to a server that offers no TLS', async () => {
  await expect(send({ port: ports.plain, tls: 'required' })).rejects.toMatchObject({ kind: 'unavailable' });
  expect([attempts, received]).toEqual([[], []]);
});

test.each(['implicit', 'required'] as const)('delivers with TLS and a password: %s', async (mode) => {
  tls.setDefaultCACertificates([...trusted, certificate]);
  received.length = 0;
  const port = mode === 'implicit' ? ports.implicit : ports.starttls;
  await expect(send({ port, tls: mode })).resolves.toMatch(/^250/);
  expect(received).toMatchObject([{ isSecure: true, user }]);
  expect(received[0]?.text).toContain('Subject: A pipeline failed');
});

test('a wrong password is a permanent failure', async () => {
  tls.setDefaultCACertificates([...trusted, certificate]);
  received.length = 0;
  await expect(send({ port: ports.implicit, tls: 'implicit', password: 'wrong' })).rejects.toMatchObject({ kind: 'rejected' });
  expect(received).toEqual([]);
});
