/**
 * Seals the values of one version: a data key of its own, AES-256-GCM for each value, and a MAC over all of them. Everything is bound
 * to the row it stands in, so that a seal that was moved, cut or exchanged opens as nothing instead of as a wrong value.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys, WrappedKey } from '#ports/keys.ts';
import { isPortFailure } from '#ports/failure.ts';
import { Problem } from '#kernel/problem.ts';

/** Where a version stands: part of every seal in it. */
export interface SealPlace {
  readonly app: string;
  readonly environment: string;
  readonly group: string;
  readonly version: number;
}
export interface SealedValue {
  readonly key: string;
  readonly sealed: Uint8Array;
}
export interface SealedVersion {
  readonly wrapped: WrappedKey;
  /** Over every key and its seal. */
  readonly seal: Uint8Array;
  readonly values: readonly SealedValue[];
}
export type SecretValues = ReadonlyMap<string, string>;

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const placeOf = ({ app, environment, group, version }: SealPlace): string => `${app}/${environment}/${group}/${version}`;
/** What the data key is wrapped for. */
export const purposeOf = (place: SealPlace): string => `secret-group:${placeOf(place)}`;
const boundTo = (place: SealPlace, key: string): Buffer => Buffer.from(`${placeOf(place)}|${key}`);

const sealValue = (dataKey: Uint8Array, place: SealPlace, key: string, value: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', dataKey, nonce).setAAD(boundTo(place, key));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
};

/** Throws where anything of it was changed; never answers a value that was not sealed here. */
const openValue = (dataKey: Uint8Array, place: SealPlace, { key, sealed }: SealedValue): string => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('A sealed value is too short');
  const decipher = createDecipheriv('aes-256-gcm', dataKey, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(place, key)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return opened.toString('utf8');
};

const sealAll = (dataKey: Uint8Array, place: SealPlace, values: readonly SealedValue[]): Buffer => {
  const sorted = values.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const listed = sorted.map(({ key, sealed }) => [key, Buffer.from(sealed).toString('base64')]);
  return createHmac('sha256', dataKey)
    .update(JSON.stringify([placeOf(place), listed]))
    .digest();
};

export const sealVersion = async (keys: Keys, place: SealPlace, values: SecretValues): Promise<SealedVersion> => {
  const dataKey = randomBytes(KEY_BYTES);
  try {
    const sealed = [...values].map(([key, value]) => ({ key, sealed: sealValue(dataKey, place, key, value) }));
    return { wrapped: await keys.wrap(dataKey, purposeOf(place)), seal: sealAll(dataKey, place, sealed), values: sealed };
  } finally {
    dataKey.fill(0);
  }
};

/**
 * All values, or SecretUnreadable: one that was exchanged, cut, moved, taken out or put in makes the whole version unreadable, and so
 * does a key that is lost. An engine that does not answer fails as itself, since asking again later helps.
 */
export const openVersion = async (keys: Keys, place: SealPlace, version: SealedVersion): Promise<SecretValues> => {
  try {
    const dataKey = await keys.unwrap(version.wrapped, purposeOf(place));
    const expected = sealAll(dataKey, place, version.values);
    if (version.seal.length !== expected.length || !timingSafeEqual(version.seal, expected))
      throw new Error('The values of a version are not those that were sealed');
    return new Map(version.values.map((value) => [value.key, openValue(dataKey, place, value)]));
  } catch (cause) {
    if (isPortFailure(cause, 'unavailable')) throw cause;
    throw new Problem('SecretUnreadable', { cause });
  }
};

/**
 * For comparing without opening: equal for equal values of one key in one group's name, in both environments, and telling nothing
 * about any other key, group or app.
 */
export const compareHash = (platformKey: Uint8Array, place: Pick<SealPlace, 'app' | 'group'>, key: string, value: string): Buffer =>
  createHmac('sha256', platformKey)
    .update(JSON.stringify([place.app, place.group, key, value]))
    .digest();
