// The one-time code that protects demo sign-in (decisions §9), and the cookie that remembers a browser that entered it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookieOf, type CookieShape } from '../cookies.ts';

/** Crockford's alphabet, without letters that resemble digits. Eight characters of 32 are 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const REMEMBERED_SECONDS = 180 * 24 * 3600;

export class DemoDoor {
  /** Such as `K7QM-42XD`. Derived from the key, so it is the same in every replica and after each start. */
  readonly code: string;
  readonly #key: Uint8Array;
  readonly #cookie: CookieShape;

  constructor(key: Uint8Array, cookie: CookieShape) {
    this.#key = key;
    this.#cookie = cookie;
    const letters = [...this.#mac('code').subarray(0, CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    this.code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** Checks a typed code. Ignores case and dashes, and maps letters that resemble digits. */
  isRight(typed: string): boolean {
    const letters = typed
      .toUpperCase()
      .replace(/[^0-9A-Z]/g, '')
      .replace(/O/g, '0')
      .replace(/[IL]/g, '1');
    return timingSafeEqual(this.#mac(`typed ${letters}`), this.#mac(`typed ${this.code.replace('-', '')}`));
  }

  /**
   * Returns a `Set-Cookie` value for a browser that entered the right code. Valid only together with `key`, which other programs do not
   * have.
   */
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
