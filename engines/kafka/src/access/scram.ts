/** The server side of SCRAM's messages and keys (RFC 5802, RFC 7677). Pure. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Kafka's number and the hash of each mechanism. */
export const mechanisms = {
  'SCRAM-SHA-256': { number: 1, hash: 'sha256', bytes: 32 },
  'SCRAM-SHA-512': { number: 2, hash: 'sha512', bytes: 64 },
} as const;
export type Mechanism = keyof typeof mechanisms;
export const mechanismNames: readonly Mechanism[] = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
export const mechanismOf = (name: string): Mechanism | undefined => mechanismNames.find((known) => known === name);
export const mechanismNumbered = (number: number): Mechanism | undefined =>
  mechanismNames.find((name) => mechanisms[name].number === number);

/** The stored form of a password. It can verify the password, but cannot be used to sign in. */
export interface Credential {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

const hmac = (mechanism: Mechanism, key: Buffer, text: string): Buffer => createHmac(mechanisms[mechanism].hash, key).update(text).digest();
const digest = (mechanism: Mechanism, bytes: Buffer): Buffer => createHash(mechanisms[mechanism].hash).update(bytes).digest();

export const credentialOf = (mechanism: Mechanism, saltedPassword: Buffer, salt: Buffer, iterations: number): Credential => ({
  salt,
  iterations,
  storedKey: digest(mechanism, hmac(mechanism, saltedPassword, 'Client Key')),
  serverKey: hmac(mechanism, saltedPassword, 'Server Key'),
});

/** More than the longest name and nonce need. */
const MAX_MESSAGE_BYTES = 4096;
const PRINTABLE = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const textOf = (message: Buffer): string | undefined => {
  if (message.length > MAX_MESSAGE_BYTES) return undefined;
  const text = message.toString('utf8');
  return text.includes('\uFFFD') || text.includes('\0') ? undefined : text;
};
const valueOf = (part: string | undefined, name: string): string | undefined =>
  part?.startsWith(`${name}=`) === true ? part.slice(name.length + 1) : undefined;

/** Decodes a name: `=2C` is a comma and `=3D` an equals sign. No other `=` is valid. */
const nameOf = (saslName: string): string | undefined => {
  if (saslName === '' || /=(?!2C|3D)/.test(saslName)) return undefined;
  return saslName.replaceAll('=2C', ',').replaceAll('=3D', '=');
};

export interface ClientFirst {
  readonly gs2Header: string;
  /** The message without its header, unmodified, because the proof covers exactly these characters. */
  readonly bare: string;
  readonly user: string;
  /** Empty if the client acts as the user that signs in. */
  readonly authorizationId: string;
  readonly nonce: string;
}

/** Parses `n,,n=user,r=nonce`. Returns undefined if it is invalid, or needs channel binding or a mandatory extension. */
export const readClientFirst = (message: Buffer): ClientFirst | undefined => {
  const [flag, authorization, ...rest] = textOf(message)?.split(',') ?? [];
  if ((flag !== 'n' && flag !== 'y') || authorization === undefined) return undefined;
  const authorizationId = authorization === '' ? '' : nameOf(valueOf(authorization, 'a') ?? '');
  const user = nameOf(valueOf(rest[0], 'n') ?? '');
  const nonce = valueOf(rest[1], 'r');
  if (authorizationId === undefined || user === undefined || nonce === undefined || !PRINTABLE.test(nonce)) return undefined;
  return { gs2Header: `${flag},${authorization},`, bare: rest.join(','), user, authorizationId, nonce };
};

export interface ClientFinal {
  readonly withoutProof: string;
  readonly nonce: string;
  readonly gs2Header: string;
  readonly proof: Buffer;
}

/** Parses `c=biws,r=nonce,p=proof`. */
export const readClientFinal = (message: Buffer): ClientFinal | undefined => {
  const text = textOf(message);
  const parts = text?.split(',') ?? [];
  const channel = valueOf(parts[0], 'c');
  const nonce = valueOf(parts[1], 'r');
  const proof = valueOf(parts.at(-1), 'p');
  if (text === undefined || parts.length < 3 || channel === undefined || nonce === undefined || proof === undefined) return undefined;
  if (!BASE64.test(channel) || !BASE64.test(proof)) return undefined;
  return {
    withoutProof: text.slice(0, text.lastIndexOf(',')),
    nonce,
    gs2Header: Buffer.from(channel, 'base64').toString('utf8'),
    proof: Buffer.from(proof, 'base64'),
  };
};

export const writeServerFirst = (nonce: string, { salt, iterations }: Credential): string =>
  `r=${nonce},s=${salt.toString('base64')},i=${iterations}`;

const xor = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, index) => byte ^ (other[index] ?? 0)));

/** Returns the server's final message, or undefined if the proof is wrong. Takes constant time. */
export const checkProof = (mechanism: Mechanism, credential: Credential, first: ClientFirst, serverFirst: string, final: ClientFinal) => {
  const authMessage = `${first.bare},${serverFirst},${final.withoutProof}`;
  const signature = hmac(mechanism, credential.storedKey, authMessage);
  const serverFinal = `v=${hmac(mechanism, credential.serverKey, authMessage).toString('base64')}`;
  const storedKey = digest(mechanism, xor(signature, final.proof));
  return final.proof.length === signature.length && timingSafeEqual(storedKey, credential.storedKey) ? serverFinal : undefined;
};
