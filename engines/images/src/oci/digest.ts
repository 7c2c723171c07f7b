/** Content addresses as OCI writes them, and a stream that measures what passes through it. */
import { createHash, hash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { TransformCallback } from 'node:stream';

export const digestPattern = /^sha256:[a-f0-9]{64}$/;

export const sha256 = (bytes: Uint8Array | string): string => `sha256:${hash('sha256', bytes, 'hex')}`;

/** `sha256:abc…` → `sha256-abc…`: a colon is not welcome in directory names everywhere. */
export const digestFolder = (digest: string): string => digest.replace(':', '-');

/** Passes bytes on unchanged and knows their number. Fails with what `check` has against the number so far. */
export class ByteMeter extends Transform {
  readonly #check: (bytes: number) => Error | undefined;
  #bytes = 0;

  constructor(check: (bytes: number) => Error | undefined = () => undefined) {
    super();
    this.#check = check;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length;
    const failure = this.#check(this.#bytes);
    if (failure === undefined) this.see(chunk);
    done(failure ?? null, chunk);
  }

  /** For those who want to know more of what passes. */
  protected see(_chunk: Buffer): void {}

  get bytes(): number {
    return this.#bytes;
  }
}

/** Knows the digest as well. */
export class DigestMeter extends ByteMeter {
  readonly #hash = createHash('sha256');

  protected override see(chunk: Buffer): void {
    this.#hash.update(chunk);
  }

  /** Call once, after the last byte. */
  digest(): string {
    return `sha256:${this.#hash.digest('hex')}`;
  }
}
