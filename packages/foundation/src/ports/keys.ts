export interface WrappedKey {
  readonly kid: string;
  readonly blob: Uint8Array;
}

/** Wraps data keys. The purpose is authenticated: a blob opens only for the purpose it was wrapped for. */
export interface Keys {
  readonly kind: 'file' | 'vault' | 'kms';
  currentKid(): Promise<string>;
  wrap(key: Uint8Array, purpose: string): Promise<WrappedKey>;
  /** Rejected if the blob was tampered with, the purpose differs, or the key is unknown. */
  unwrap(wrapped: WrappedKey, purpose: string): Promise<Uint8Array>;
  /** Creates a new current key and returns its kid. Blobs wrapped with older keys still open. */
  rotate(): Promise<string>;
}
