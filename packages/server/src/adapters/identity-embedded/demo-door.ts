// The one-time code that guards demo sign-in (decisions §9), and the cookie by which a browser that gave it is known again.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookieOf } from './cookies.ts';

/** Crockford's alphabet: no letter that reads like a digit. 32 letters to the power of eight are 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const REMEMBERED_SECONDS = 180 * 24 * 3600;

export class DemoDoor {
  /** `K7QM-42XD`: made from the key, so that every replica and every start has the same. */
  readonly code: string;
  readonly #key: Uint8Array;
  readonly #cookie: string;
  readonly #isSecure: boolean;

  constructor(key: Uint8Array, options: { cookie: string; isSecure: boolean }) {
    this.#key = key;
    this.#cookie = options.cookie;
    this.#isSecure = options.isSecure;
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

  /** A `Set-Cookie` value for a browser that gave the right code. */
  remember(now = new Date()): string {
    const at = String(Math.floor(now.getTime() / 1000));
    const parts = [`${this.#cookie}=${at}.${this.#sign(at)}`, 'Path=/oidc/', `Max-Age=${REMEMBERED_SECONDS}`, 'HttpOnly', 'SameSite=Lax'];
    return [...parts, ...(this.#isSecure ? ['Secure'] : [])].join('; ');
  }

  isOpenTo(request: IncomingMessage, now = new Date()): boolean {
    const [at = '', signature = ''] = (cookieOf(request, this.#cookie) ?? '').split('.');
    const isYoung = /^\d{1,12}$/.test(at) && Number(at) + REMEMBERED_SECONDS > now.getTime() / 1000;
    return isYoung && timingSafeEqual(this.#mac(`seen ${signature}`), this.#mac(`seen ${this.#sign(at)}`));
  }

  #sign(at: string): string {
    return this.#mac(`browser ${at}`).toString('base64url');
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
