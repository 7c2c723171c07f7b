/**
 * Seals the values of one version with its own data key: AES-256-GCM for each value, and a MAC over all of them. Every seal is bound to its
 * row, so a moved, cut or exchanged seal fails to open instead of opening as a wrong value.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys, WrappedKey } from '#ports/keys.ts';
import { isPortFailure } from '#ports/failure.ts';
import { Problem } from '#kernel/problem.ts';

/** Identifies a version. Every seal of the version is bound to it. */
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
  /** MAC over every key and its sealed value. */
  readonly seal: Uint8Array;
  readonly values: readonly SealedValue[];
}
export type SecretValues = ReadonlyMap<string, string>;

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const placeOf = ({ app, environment, group, version }: SealPlace): string => `${app}/${environment}/${group}/${version}`;
/** Returns the purpose that the wrapped data key is bound to. */
export const purposeOf = (place: SealPlace): string => `secret-group:${placeOf(place)}`;
const boundTo = (place: SealPlace, key: string): Buffer => Buffer.from(`${placeOf(place)}|${key}`);

const sealValue = (dataKey: Uint8Array, place: SealPlace, key: string, value: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', dataKey, nonce).setAAD(boundTo(place, key));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
};

/** Throws if any part of the sealed value was changed. Never returns a value that was not sealed here. */
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
 * Returns all values or throws SecretUnreadable. An exchanged, cut, moved, removed or added value makes the whole version unreadable, and
 * so does a lost key. If the key engine is unavailable, throws its failure, because a later retry helps.
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
 * Returns a keyed hash that compares values without opening them. It is equal for equal values of one key in groups of one name, in both
 * environments. It reveals nothing about any other key, group or app.
 */
export const compareHash = (platformKey: Uint8Array, place: Pick<SealPlace, 'app' | 'group'>, key: string, value: string): Buffer =>
  createHmac('sha256', platformKey)
    .update(JSON.stringify([place.app, place.group, key, value]))
    .digest();
