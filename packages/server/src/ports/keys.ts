export interface WrappedKey {
  readonly kid: string;
  readonly blob: Uint8Array;
}

/** Wraps data keys. The purpose is authenticated: a blob wrapped for one purpose does not open for another. */
export interface Keys {
  readonly kind: 'file' | 'vault' | 'kms';
  currentKid(): Promise<string>;
  wrap(key: Uint8Array, purpose: string): Promise<WrappedKey>;
  /** Rejected when the blob was tampered with, the purpose differs, or the key is not known. */
  unwrap(wrapped: WrappedKey, purpose: string): Promise<Uint8Array>;
  /** Makes a new current key and answers its kid; what older keys wrapped still opens. */
  rotate(): Promise<string>;
}
