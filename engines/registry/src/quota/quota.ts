// Enforces project quotas against stored and in-flight bytes. Uploads in this process count as bytes arrive; uploads on other
// replicas count once their rows are updated.
import type { Pool } from 'pg';
import { byteText } from './byte-text.ts';
import { RegistryError } from '../registry-error.ts';
import { selectQuota, selectUsage } from './usage.sql.ts';

/** How long usage read from the database is cached. */
const KNOWN_MS = 2000;
/** Share of the quota that triggers a warning; same as Harbor. */
const NEARLY_FULL = 0.85;
const SAID_EVERY_MS = 600_000;

export type Say = (
  type: 'QUOTA_WARNING' | 'QUOTA_EXCEED',
  project: string,
  detail: { readonly quotaBytes: number | null; readonly usedBytes: number },
) => void;

interface Known {
  /** Null: no limit. */
  readonly quotaBytes: number | null;
  readonly at: number;
  /** Stored and uploading bytes at the last read, plus bytes that this process has stored since. */
  takenBytes: number;
}
/** Room for one request's bytes. */
export interface Reservation {
  /** Reserves more bytes. Throws DENIED if they exceed the quota. */
  take(bytes: number): void;
  /** Ends the reservation. Kept bytes stay counted; otherwise they are returned to the quota. */
  release(isKept: boolean): void;
}

export class Quota {
  readonly #pool: Pool;
  readonly #defaultBytes: number | null;
  readonly #known = new Map<string, Promise<Known>>();
  readonly #inFlight = new Map<string, number>();
  readonly #say: Say;
  /** Time of the last announcement, by type and project. */
  readonly #said = new Map<string, number>();

  constructor(pool: Pool, defaultBytes: number | null, say: Say = () => {}) {
    this.#pool = pool;
    this.#defaultBytes = defaultBytes;
    this.#say = say;
  }

  limitOf(own: number | null): number | null {
    return own ?? this.#defaultBytes;
  }

  /** Reserves `announcedBytes` immediately. Throws DENIED if they exceed the quota. */
  async reserve(project: string, announcedBytes: number): Promise<Reservation> {
    const known = await this.#look(project);
    let announced = announcedBytes;
    let taken = 0;
    const add = (bytes: number): void => {
      const inFlight = this.#inFlight.get(project) ?? 0;
      try {
        requireRoom(project, known, inFlight, bytes);
      } catch (error) {
        this.#sayOnce('QUOTA_EXCEED', project, known);
        throw error;
      }
      this.#inFlight.set(project, inFlight + bytes);
      taken += bytes;
    };
    if (announced > 0) add(announced);
    return {
      take: (bytes) => {
        const covered = Math.min(announced, bytes);
        announced -= covered;
        if (bytes > covered) add(bytes - covered);
      },
      release: (isKept) => {
        const left = (this.#inFlight.get(project) ?? 0) - taken;
        if (left > 0) this.#inFlight.set(project, left);
        else this.#inFlight.delete(project);
        if (!isKept) return;
        known.takenBytes += taken - announced;
        if (known.quotaBytes !== null && known.takenBytes > known.quotaBytes * NEARLY_FULL) this.#sayOnce('QUOTA_WARNING', project, known);
      },
    };
  }

  /** Announces at most once per interval, so that a retrying client does not repeat the event. */
  #sayOnce(type: 'QUOTA_WARNING' | 'QUOTA_EXCEED', project: string, { quotaBytes, takenBytes }: Known): void {
    const key = `${type} ${project}`;
    if (Date.now() - (this.#said.get(key) ?? 0) < SAID_EVERY_MS) return;
    this.#said.set(key, Date.now());
    this.#say(type, project, { quotaBytes, usedBytes: takenBytes });
  }

  /** Invalidates the cached usage after a quota change, and in tests. */
  forget(project: string): void {
    this.#known.delete(project);
  }

  async #look(project: string): Promise<Known> {
    const before = await this.#known.get(project)?.catch(() => undefined);
    if (before && Date.now() - before.at < KNOWN_MS) return before;
    const looking = this.#read(project);
    this.#known.set(project, looking);
    return looking;
  }

  async #read(project: string): Promise<Known> {
    const quotaBytes = this.limitOf((await selectQuota(this.#pool, project))?.quotaBytes ?? null);
    const usage = quotaBytes === null ? undefined : await selectUsage(this.#pool, project);
    return { quotaBytes, at: Date.now(), takenBytes: usage ? usage.usedBytes + usage.uploadingBytes : 0 };
  }
}

function requireRoom(project: string, { quotaBytes, takenBytes }: Known, inFlight: number, bytes: number): void {
  if (quotaBytes === null || takenBytes + inFlight + bytes <= quotaBytes) return;
  const message =
    `the project ${project} holds ${byteText(takenBytes + inFlight)} of its quota of ${byteText(quotaBytes)}, so ${byteText(bytes)} more do ` +
    'not fit: delete images, or ask an administrator for more';
  const detail = { quotaBytes, usedBytes: takenBytes + inFlight, neededBytes: bytes };
  throw new RegistryError(403, 'DENIED', message, {}, { reason: 'QUOTA_EXCEEDED', ...detail });
}
