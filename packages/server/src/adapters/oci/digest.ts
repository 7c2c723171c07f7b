/** Content addresses as OCI writes them, and a stream that measures what passes through it. */
import { createHash, hash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

export const digestPattern = /^sha256:[a-f0-9]{64}$/;

export const sha256 = (bytes: Uint8Array | string): string => `sha256:${hash('sha256', bytes, 'hex')}`;

/** `sha256:abc…` → `sha256-abc…`: a colon is not welcome in directory names everywhere. */
export const digestFolder = (digest: string): string => digest.replace(':', '-');

/** Passes bytes on unchanged and knows their digest and number afterwards. Fails with `limitError` after `limitBytes`. */
export class DigestMeter extends Transform {
  readonly #hash = createHash('sha256');
  readonly #limitBytes: number;
  readonly #limitError: () => Error;
  #bytes = 0;

  constructor(limitBytes = Number.POSITIVE_INFINITY, limitError: () => Error = () => new Error(`more than ${limitBytes} bytes`)) {
    super();
    this.#limitBytes = limitBytes;
    this.#limitError = limitError;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limitBytes) return done(this.#limitError());
    this.#hash.update(chunk);
    done(null, chunk);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Call once, after the last byte. */
  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}
