/** Payloads of an app, built once per environment, key and version, and shared by all requests and streams. */
import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { GrowthBookClient } from '@growthbook/growthbook';
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { evaluatorOf } from '../evaluate.ts';
import { featuresOf, nextChange, type Features } from '../payload.ts';
import type { AppFlags, StoredKey } from './app-flags.sql.ts';

const GZIP_FROM_BYTES = 1024;
const IV_BYTES = 16;

export interface Payload {
  readonly etag: string;
  readonly modified: string;
  readonly body: Buffer;
  /** Undefined for a body that is too short to be worth it. */
  readonly gzipped: Buffer | undefined;
  /** The same as a server-sent event. */
  readonly event: Buffer;
}
interface Compiled extends Features {
  readonly names: readonly string[];
  readonly dateUpdated: string;
  readonly evaluator: () => GrowthBookClient;
}

/** AES-CBC as the SDKs decrypt it. The vector follows from key and text, so that every replica sends the same bytes. */
export const encrypt = (text: string, decryptionKey: string): string => {
  const key = Buffer.from(decryptionKey, 'base64');
  const iv = createHmac('sha256', key).update(text).digest().subarray(0, IV_BYTES);
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  return `${iv.toString('base64')}.${Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')}`;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const compile = ({ flags, groups, changedAt }: AppFlags, environment: Environment, now: number): Compiled => {
  const own = flags.filter((flag) => flag.environment === environment);
  const built = featuresOf(own, groups, now);
  const passed = own
    .flatMap(({ rules }) => rules.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt]))
    .flatMap((at) => (at === null || Date.parse(at) > now ? [] : [Date.parse(at)]));
  return {
    ...built,
    names: Object.keys(built.features),
    dateUpdated: new Date(Math.max(Date.parse(changedAt), ...passed)).toISOString(),
    evaluator: once(() => evaluatorOf(built)),
  };
};

const payloadOf = ({ features, savedGroups, dateUpdated }: Compiled, { mode, decryptionKey }: StoredKey): Payload => {
  const isEncrypted = mode === 'ENCRYPTED' && decryptionKey !== null;
  const text = JSON.stringify({
    status: 200,
    ...(isEncrypted
      ? {
          features: {},
          encryptedFeatures: encrypt(JSON.stringify(features), decryptionKey),
          encryptedSavedGroups: encrypt(JSON.stringify(savedGroups), decryptionKey),
        }
      : { features, savedGroups }),
    experiments: [],
    dateUpdated,
  });
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  // A client of a remote key asks again, with its attributes.
  const event = mode === 'REMOTE' ? 'event: features-updated\ndata: {}' : `event: features\ndata: ${text}`;
  return {
    etag,
    modified: new Date(dateUpdated).toUTCString(),
    body,
    gzipped: body.length < GZIP_FROM_BYTES ? undefined : gzipSync(body),
    event: Buffer.from(`id: ${etag.slice(1, -1)}\n${event}\n\n`),
  };
};

export interface Served {
  readonly key: StoredKey;
  readonly compiled: Compiled;
  readonly payload: Payload;
}
export interface AppPayloads {
  readonly served: ReadonlyMap<string, Served>;
  /** When a schedule or the end of a rotated key changes them. */
  readonly nextChange: number | undefined;
}

export const payloadsOf = (app: AppFlags, now: number): AppPayloads => {
  const compiled = Object.fromEntries(environments.map((one) => [one, compile(app, one, now)])) as Record<Environment, Compiled>;
  const shared = new Map<string, Payload>();
  const living = app.keys.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now);
  const served = living.map((key): [string, Served] => {
    const place = `${key.environment} ${key.mode} ${key.decryptionKey ?? ''}`;
    const payload = shared.get(place) ?? payloadOf(compiled[key.environment], key);
    shared.set(place, payload);
    return [key.clientKey, { key, compiled: compiled[key.environment], payload }];
  });
  const ends = living.flatMap(({ endsAt }) => (endsAt === null ? [] : [Date.parse(endsAt)]));
  const times = [nextChange(app.flags, now), ...ends].filter((at) => at !== undefined);
  return { served: new Map(served), nextChange: times.length > 0 ? Math.min(...times) : undefined };
};
