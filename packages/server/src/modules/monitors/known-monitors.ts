/** Monitors by the key in the collector's URL, cached for a few seconds. Changes of settings take effect when an entry expires. */
import type { RetentionDays } from '@slipway/contract/monitoring/monitor.ts';
import type { Pool } from 'pg';

export interface KnownMonitor {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly formerKey: string | null;
  readonly formerUntil: Date | null;
  readonly origins: readonly string[];
  readonly samplePercent: number;
  readonly retentionDays: RetentionDays;
  readonly salt: string;
  readonly forwardUrl: string | null;
  readonly forwardAuthorization: Buffer | null;
}

const KEPT_MS = 5000;
const MAX_ENTRIES = 2000;
const MAX_LOOKUPS = 16;
const appKeyPattern = /^[a-z0-9]{24}$/;

interface Entry {
  readonly at: number;
  readonly monitor: Promise<KnownMonitor | undefined>;
}
const isFresh = (entry: Entry | undefined): entry is Entry => entry !== undefined && Date.now() - entry.at < KEPT_MS;

export class KnownMonitors {
  readonly #pool: Pool;
  readonly #found = new Map<string, Entry>();
  /** Keys that name no monitor. They are apart, so that strangers who try keys cannot displace monitors. */
  readonly #missing = new Map<string, Entry>();
  #lookups = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns undefined for an unknown key, and `busy` if too many unknown keys are being looked up. */
  async find(appKey: string): Promise<KnownMonitor | 'busy' | undefined> {
    if (!appKeyPattern.test(appKey)) return undefined;
    const known = this.#found.get(appKey);
    if (isFresh(known)) return known.monitor;
    const missing = this.#missing.get(appKey);
    if (isFresh(missing)) return missing.monitor;
    if (!known && this.#lookups >= MAX_LOOKUPS) return 'busy';
    return this.#look(appKey, known ? this.#found : this.#missing);
  }

  async #look(appKey: string, within: Map<string, Entry>): Promise<KnownMonitor | undefined> {
    if (within.size >= MAX_ENTRIES) within.clear();
    this.#lookups += 1;
    const entry = { at: Date.now(), monitor: this.#read(appKey).finally(() => (this.#lookups -= 1)) };
    within.set(appKey, entry);
    try {
      const monitor = await entry.monitor;
      within.delete(appKey);
      (monitor ? this.#found : this.#missing).set(appKey, entry);
      return monitor;
    } catch (error) {
      within.delete(appKey);
      throw error;
    }
  }

  /** Forgets all entries, so that the next payload sees the current settings. */
  clear(): void {
    this.#found.clear();
    this.#missing.clear();
  }

  async #read(appKey: string): Promise<KnownMonitor | undefined> {
    const { rows } = await this.#pool.query<KnownMonitor>(
      `select id, name, api_key as "apiKey", former_api_key as "formerKey", former_key_until as "formerUntil", allowed_origins as origins,
        sample_percent as "samplePercent", retention_days as "retentionDays", salt, forward_url as "forwardUrl",
        forward_authorization_sealed as "forwardAuthorization"
       from monitor where app_key = $1`,
      [appKey],
    );
    return rows[0];
  }
}
