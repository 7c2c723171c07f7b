/** Generates ids: sortable by time, URL-safe, with a prefix for the kind of object. */
import { randomBytes, randomUUID } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const encode = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value, left = length; left > 0; left -= 1, rest /= 32n) text = `${alphabet[Number(rest % 32n)]}${text}`;
  return text;
};

/** `pl_01kd…`: 9 characters of milliseconds, 11 random characters (55 bits). */
export const newId = (prefix: string): string =>
  `${prefix}_${encode(BigInt(Date.now()), 9)}${encode(BigInt(`0x${randomBytes(7).toString('hex')}`) >> 1n, 11)}`;

/** W3C trace ids: 32 hexadecimal characters. */
export const newTraceId = (): string => randomUUID().replaceAll('-', '');
