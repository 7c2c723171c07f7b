/** Keeps the payloads of the apps whose clients ask, follows changes of all replicas, and publishes them to open streams. */
import type { Db, DatabaseConfig } from '#db/database.ts';
import { listen, type Listener } from '#db/listen.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import type { Log } from '#ports/log.ts';
import { appOfKey, noteRequests, readAppFlags } from './app-flags.sql.ts';
import { FlagStreams } from './flag-streams.ts';
import { payloadsOf, type AppPayloads, type Served } from './payloads.ts';

const CHANNEL = 'slipway_flags';
const RETRY_MS = 1000;
/** Payloads that nobody asked for in this time are dropped. */
const IDLE_MS = 10 * 60_000;
const TIDY_MS = 30_000;
/** How long a key is known to be unknown, and how many are remembered. */
const UNKNOWN_MS = 5000;
const MAX_UNKNOWN = 10_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Kept {
  current: AppPayloads | undefined;
  /** The read that runs, and the one that begins after it. A read that begins after a change sees it. */
  running: Promise<AppPayloads> | undefined;
  queued: Promise<AppPayloads> | undefined;
  askedAt: number;
  timer: NodeJS.Timeout | undefined;
}

export class FlagDelivery {
  readonly streams = new FlagStreams();
  readonly #db: Db;
  readonly #log: Log;
  readonly #apps = new Map<string, Kept>();
  readonly #appOf = new Map<string, string>();
  readonly #unknown = new Map<string, number>();
  readonly #asked = new Set<string>();
  #listener: Listener | undefined;
  #tidy: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  async start(connection: DatabaseConfig): Promise<void> {
    const onReconnect = () => {
      this.#unknown.clear();
      void mapLimited([...this.#apps.keys()], (app) => this.#refresh(app));
    };
    this.#listener = await listen(connection, CHANNEL, (app) => this.#changed(app), { onReconnect, log: this.#log });
    this.#tidy = setInterval(() => void this.#tidyUp(), TIDY_MS).unref();
    this.streams.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#tidy);
    for (const { timer } of this.#apps.values()) clearTimeout(timer);
    this.streams.close();
    await this.#listener?.stop();
    await this.#note();
  }

  /** Throws ClientKeyUnknown. Answers from memory if the app is kept, also while the database is away. */
  async served(clientKey: string): Promise<Served> {
    const known = this.#appOf.get(clientKey);
    const app = known ?? (await this.#find(clientKey));
    const kept = this.#apps.get(app) ?? this.#keep(app);
    kept.askedAt = Date.now();
    const payloads = kept.current ?? (await this.#read(app, kept));
    // A key that is newer than what is kept: the news of it is still on its way.
    const found = payloads.served.get(clientKey) ?? (known === undefined ? (await this.#read(app, kept)).served.get(clientKey) : undefined);
    if (!found) {
      this.#appOf.delete(clientKey);
      throw new Problem('ClientKeyUnknown');
    }
    this.#appOf.set(clientKey, app);
    this.#asked.add(clientKey);
    return found;
  }

  async #find(clientKey: string): Promise<string> {
    const until = this.#unknown.get(clientKey);
    if (until !== undefined && until > Date.now()) throw new Problem('ClientKeyUnknown');
    const app = await appOfKey(this.#db, clientKey);
    if (app !== undefined) return app;
    if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
    this.#unknown.set(clientKey, Date.now() + UNKNOWN_MS);
    throw new Problem('ClientKeyUnknown');
  }

  #keep(app: string): Kept {
    const kept: Kept = { current: undefined, running: undefined, queued: undefined, askedAt: Date.now(), timer: undefined };
    this.#apps.set(app, kept);
    return kept;
  }

  #changed(app: string): void {
    this.#unknown.clear();
    void this.#refresh(app);
  }

  async #refresh(app: string): Promise<void> {
    const kept = this.#apps.get(app);
    if (!kept || this.#isClosed) return;
    try {
      await this.#read(app, kept);
    } catch (error) {
      this.#log.warn({ err: error, app }, 'Flags could not be read; clients keep the last ones');
      clearTimeout(kept.timer);
      if (!this.#isClosed) kept.timer = setTimeout(() => void this.#refresh(app), RETRY_MS + Math.random() * RETRY_MS).unref();
    }
  }

  /** Reads one at a time. Everybody who asks before a read begins shares it. */
  #read(app: string, kept: Kept): Promise<AppPayloads> {
    kept.queued ??= (async () => {
      await kept.running?.catch(() => undefined);
      kept.queued = undefined;
      return (kept.running = this.#readNow(app, kept));
    })();
    return kept.queued;
  }

  async #readNow(app: string, kept: Kept): Promise<AppPayloads> {
    const stored = await readAppFlags(this.#db, app);
    const former = kept.current;
    const current = payloadsOf(stored, Date.now());
    kept.current = current;
    this.#schedule(app, kept, current);
    if (former) this.#publish(former, current);
    return current;
  }

  #schedule(app: string, kept: Kept, { nextChange }: AppPayloads): void {
    clearTimeout(kept.timer);
    if (nextChange === undefined || this.#isClosed) return;
    kept.timer = setTimeout(() => void this.#refresh(app), Math.min(Math.max(nextChange - Date.now(), 1), MAX_TIMER_MS)).unref();
  }

  #publish(former: AppPayloads, { served }: AppPayloads): void {
    void mapLimited([...former.served], async ([clientKey, before]) => {
      const now = served.get(clientKey);
      if (!now || now.key.mode !== before.key.mode) this.streams.end(clientKey);
      else if (now.payload.etag !== before.payload.etag)
        await this.streams.publish(clientKey, () => this.#current(clientKey), now.key.mode === 'REMOTE');
    });
  }

  #current(clientKey: string) {
    return this.#apps.get(this.#appOf.get(clientKey) ?? '')?.current?.served.get(clientKey)?.payload;
  }

  async #tidyUp(): Promise<void> {
    await this.#note();
    const open = new Set(this.streams.keys().map((key) => this.#appOf.get(key)));
    for (const [app, kept] of this.#apps) {
      if (open.has(app) || kept.askedAt > Date.now() - IDLE_MS) continue;
      clearTimeout(kept.timer);
      this.#apps.delete(app);
      for (const [key, of] of this.#appOf) if (of === app) this.#appOf.delete(key);
    }
  }

  async #note(): Promise<void> {
    for (const key of this.streams.keys()) this.#asked.add(key);
    const asked = [...this.#asked];
    this.#asked.clear();
    if (asked.length === 0) return;
    await noteRequests(this.#db, asked).catch((error: unknown) => this.#log.warn({ err: error }, 'Requests for flags could not be noted'));
  }
}
