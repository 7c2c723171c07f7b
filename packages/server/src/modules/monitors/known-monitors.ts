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
}

const KEPT_MS = 5000;
const MAX_ENTRIES = 2000;
const MAX_LOOKUPS = 16;
const appKeyPattern = /^[a-z0-9]{24}$/;

interface Entry {
  /** Zero if the settings may have changed since. */
  at: number;
  readonly monitor: Promise<KnownMonitor | undefined>;
}
const isFresh = (entry: Entry | undefined): entry is Entry => entry !== undefined && Date.now() - entry.at < KEPT_MS;

/** Displaces the entry that was looked up the longest ago if there are too many. */
const put = (entries: Map<string, Entry>, appKey: string, entry: Entry): void => {
  entries.delete(appKey);
  const [oldest] = entries.keys();
  if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
  entries.set(appKey, entry);
};

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
    const before = within.get(appKey);
    this.#lookups += 1;
    const entry = { at: Date.now(), monitor: this.#read(appKey).finally(() => (this.#lookups -= 1)) };
    put(within, appKey, entry);
    try {
      const monitor = await entry.monitor;
      within.delete(appKey);
      put(monitor ? this.#found : this.#missing, appKey, entry);
      return monitor;
    } catch (error) {
      // A known monitor stays known, so that it need not compete with unknown keys after an outage.
      if (before && within === this.#found) within.set(appKey, { at: 0, monitor: before.monitor });
      else within.delete(appKey);
      throw error;
    }
  }

  /** Makes the next payload see the current settings. Known monitors stay known, so that unknown keys cannot keep them out. */
  clear(): void {
    for (const entries of [this.#found, this.#missing]) for (const entry of entries.values()) entry.at = 0;
  }

  async #read(appKey: string): Promise<KnownMonitor | undefined> {
    const { rows } = await this.#pool.query<KnownMonitor>(
      `select id, name, api_key as "apiKey", former_api_key as "formerKey", former_key_until as "formerUntil", allowed_origins as origins,
        sample_percent as "samplePercent", retention_days as "retentionDays", salt, forward_url as "forwardUrl"
       from monitor where app_key = $1`,
      [appKey],
    );
    return rows[0];
  }
}
