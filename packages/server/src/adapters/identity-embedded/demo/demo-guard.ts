// The one-time code that guards demo sign-in (decisions §9), and the cookie by which a browser that gave it is known again.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookieOf, type CookieShape } from '../cookies.ts';

/** Crockford's alphabet: no letter that reads like a digit. 32 letters to the power of eight are 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const REMEMBERED_SECONDS = 180 * 24 * 3600;

export class DemoDoor {
  /** `K7QM-42XD`: made from the key, so that every replica and every start has the same. */
  readonly code: string;
  readonly #key: Uint8Array;
  readonly #cookie: CookieShape;

  constructor(key: Uint8Array, cookie: CookieShape) {
    this.#key = key;
    this.#cookie = cookie;
    const letters = [...this.#mac('code').subarray(0, CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    this.code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** Forgives small letters, a missing dash, and letters read for digits. */
  isRight(typed: string): boolean {
    const letters = typed
      .toUpperCase()
      .replace(/[^0-9A-Z]/g, '')
      .replace(/O/g, '0')
      .replace(/[IL]/g, '1');
    return timingSafeEqual(this.#mac(`typed ${letters}`), this.#mac(`typed ${this.code.replace('-', '')}`));
  }

  /** A `Set-Cookie` value for a browser that gave the right code; good together with `key` alone, which other programs do not have. */
  remember(key: string, now = new Date()): string {
    const at = String(Math.floor(now.getTime() / 1000));
    const { name, path, isSecure } = this.#cookie;
    const parts = [`${name}=${at}.${this.#sign(at, key)}`, `Path=${path}`, `Max-Age=${REMEMBERED_SECONDS}`, 'HttpOnly', 'SameSite=Lax'];
    return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
  }

  isOpenTo(request: IncomingMessage, key: string, now = new Date()): boolean {
    const [at = '', signature = ''] = (cookieOf(request, this.#cookie.name) ?? '').split('.');
    const isYoung = /^\d{1,12}$/.test(at) && Number(at) + REMEMBERED_SECONDS > now.getTime() / 1000;
    return isYoung && timingSafeEqual(this.#mac(`seen ${signature}`), this.#mac(`seen ${this.#sign(at, key)}`));
  }

  #sign(at: string, key: string): string {
    return this.#mac(`browser ${at} ${key}`).toString('base64url');
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
