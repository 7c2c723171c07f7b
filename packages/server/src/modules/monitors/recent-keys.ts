/** Remembers the keys of payloads of the last minutes, so that a payload that the SDK sends again is stored once on this replica. */

const KEPT_MS = 120_000;
const MAX_KEYS = 50_000;
const keyPattern = /^[\w-]{8,64}$/;

export class RecentKeys {
  /** In order of arrival. */
  readonly #known = new Map<string, { readonly at: number; readonly made: Promise<'valid' | 'invalid'> }>();

  /** Runs the write, unless a payload with the same key of the monitor was or is being written. A failed write may be tried again. */
  async once(
    monitorId: string,
    key: string | string[] | undefined,
    write: () => Promise<'valid' | 'invalid'>,
  ): Promise<'valid' | 'invalid'> {
    if (typeof key !== 'string' || !keyPattern.test(key)) return write();
    const id = `${monitorId} ${key}`;
    this.#forget();
    const known = this.#known.get(id);
    if (known) return known.made;
    const made = write();
    this.#known.set(id, { at: Date.now(), made });
    try {
      return await made;
    } catch (error) {
      this.#known.delete(id);
      throw error;
    }
  }

  #forget(): void {
    const now = Date.now();
    for (const [id, { at }] of this.#known) {
      if (now - at < KEPT_MS && this.#known.size < MAX_KEYS) return;
      this.#known.delete(id);
    }
  }
}
