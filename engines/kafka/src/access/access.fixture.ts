/** An access part on its own directory, a caller, and a SCRAM client that is independent of the server's code. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

import type { Access, AnyHandler, Caller, SaslExchange, SaslStep, TopicDirectory } from '../parts.ts';
import type { Api, Request, Response } from '../protocol/apis.ts';
import { startAccess } from './start-access.ts';

export const ADMIN = { name: 'platform', password: 'given-at-the-start' };

export const callerNamed = (principal: string, more: Partial<Caller> = {}): Caller => ({
  principal,
  host: '127.0.0.1',
  clientId: 'test',
  version: 0,
  closed: new AbortController().signal,
  ...more,
});

export const noTopics: TopicDirectory = {
  partitionCount: () => undefined,
  topicId: () => undefined,
  topicName: () => undefined,
  names: () => [],
  onDeleted: () => undefined,
};

/** Calls a handler as a connection does. */
export const ask = async <A extends Api>(
  handlers: readonly AnyHandler[],
  api: A,
  request: Request<A>,
  caller: Caller,
): Promise<Response<A>> => {
  const found = handlers.find((one) => one.api === api);
  if (found === undefined) throw new Error(`nobody answers ${api}`);
  return (await found.handle(request, caller)) as Response<A>;
};

export const temporaryDirectory = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'slipway-broker-'));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};
/** Returns a directory that is removed after the test. */
export const directoryForTest = async () => {
  const home = await temporaryDirectory();
  onTestFinished(home.remove);
  return home;
};

export const contextFor = (directory: string, topics: TopicDirectory = noTopics, now: () => number = Date.now) => ({
  directory,
  topics,
  advertised: { host: '127.0.0.1', port: 9092 },
  clusterId: 'test',
  now,
  log: () => undefined,
});
export const openAccess = (directory: string, now?: () => number): Promise<Access> =>
  startAccess(contextFor(directory, noTopics, now), ADMIN);

type Upsertion = Request<'AlterUserScramCredentials'>['upsertions'][number];
export type Hash = 'sha256' | 'sha512';
export const mechanismFor = { sha256: 'SCRAM-SHA-256', sha512: 'SCRAM-SHA-512' } as const;
const bytesOf = { sha256: 32, sha512: 64 } as const;
const numberOf = { sha256: 1, sha512: 2 } as const;

/** Makes a user's credential like a client of AlterUserScramCredentials. */
export const upsertion = (name: string, password: string, hash: Hash = 'sha512', iterations = 4096): Upsertion => {
  const salt = Buffer.from(`salt of ${name}`.padEnd(32));
  const saltedPassword = pbkdf2Sync(password, salt, iterations, bytesOf[hash], hash);
  return { name, mechanism: numberOf[hash], iterations, salt, saltedPassword };
};
export const createUser = (access: Access, name: string, password: string, hash?: Hash) =>
  ask(
    access.handlers,
    'AlterUserScramCredentials',
    { deletions: [], upsertions: [upsertion(name, password, hash)] },
    callerNamed(ADMIN.name),
  );

export interface ScramOptions {
  readonly hash?: Hash;
  readonly clientNonce?: string;
  /** Makes the nonce of the client's final message from the server's nonce. */
  readonly finalNonce?: (nonce: string) => string;
  readonly gs2Header?: string;
}

/** Signs in according to RFC 5802, and verifies the server's signature. Returns the last step. */
export const signIn = async (exchange: SaslExchange, user: string, password: string, options: ScramOptions = {}): Promise<SaslStep> => {
  const { hash = 'sha512', clientNonce = 'rOprNGfwEbeRWgbNEkqO', finalNonce = (nonce: string) => nonce, gs2Header = 'n,,' } = options;
  const bare = `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${clientNonce}`;
  const first = await exchange.step(Buffer.from(gs2Header + bare));
  if (first.state !== 'continue') return first;
  const serverFirst = first.answer.toString();
  const [, nonce = '', salt = '', iterations = ''] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(serverFirst) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), bytesOf[hash], hash);
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=${Buffer.from(gs2Header).toString('base64')},r=${finalNonce(nonce)}`;
  const message = `${bare},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash(hash).update(clientKey).digest(), message);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)));
  const last = await exchange.step(Buffer.from(`${withoutProof},p=${proof.toString('base64')}`));
  if (last.state === 'signedIn') {
    const expected = `v=${hmac(hmac(salted, 'Server Key'), message).toString('base64')}`;
    if (last.answer.toString() !== expected) throw new Error('the server does not know the password');
  }
  return last;
};
