/**
 * Names by which counts are kept: pages, releases, called URLs and errors. Browsers choose them, so each monitor has a limited number.
 * Further ones are counted together.
 */
import type { PoolClient } from 'pg';
import { maxErrors } from '@slipway/contract/monitoring/readings.ts';

export type Dimension = 'page' | 'release' | 'call' | 'error';
export const OTHER = '(other)';
const LIMITS: Readonly<Record<Dimension, number>> = { page: 200, release: 50, call: 200, error: maxErrors };
const KEPT_MS = 600_000;
const MAX_MONITORS = 2000;

interface Known {
  readonly at: number;
  readonly day: string;
  readonly names: Readonly<Record<Dimension, Set<string>>>;
  /** Names whose last day is today in the database. */
  readonly today: Set<string>;
}
export interface NewName {
  readonly monitorId: string;
  readonly dimension: Dimension;
  readonly name: string;
}
export interface Names {
  /** Returns the name, or `(other)` beyond the limit. */
  use(monitorId: string, dimension: Dimension, name: string): string;
  /** Names that the batch has to save. */
  readonly fresh: NewName[];
  /** Takes out of the cache what this batch put into it, because it was rolled back. */
  readonly forget: () => void;
}

const today = (): string => new Date().toISOString().slice(0, 10);

export class KnownNames {
  readonly #known = new Map<string, Known>();

  /** Reads the names of monitors that are not cached. */
  async load(client: PoolClient, monitorIds: readonly string[]): Promise<Names> {
    const day = today();
    const isFresh = (id: string): boolean => {
      const known = this.#known.get(id);
      return known !== undefined && known.day === day && Date.now() - known.at < KEPT_MS;
    };
    const missing = monitorIds.filter((id) => !isFresh(id));
    if (missing.length > 0) await this.#read(client, missing, day);
    const fresh: NewName[] = [];
    const undo: (() => void)[] = [];
    const forget = (): void => {
      for (const step of undo) step();
    };
    return { use: (monitorId, dimension, name) => this.#use(fresh, undo, { monitorId, dimension, name }), fresh, forget };
  }

  async #read(client: PoolClient, monitorIds: readonly string[], day: string): Promise<void> {
    if (this.#known.size + monitorIds.length > MAX_MONITORS) this.#known.clear();
    const { rows } = await client.query<{ monitor_id: string; dimension: Dimension; name: string; is_today: boolean }>(
      `select monitor_id, dimension, name, last_on = current_date as is_today from monitor_name where monitor_id = any($1)
       union all select monitor_id, 'error', id, true from monitor_error where monitor_id = any($1)`,
      [monitorIds],
    );
    for (const id of monitorIds) {
      const names = { page: new Set<string>(), release: new Set<string>(), call: new Set<string>(), error: new Set<string>() };
      this.#known.set(id, { at: Date.now(), day, names, today: new Set() });
    }
    for (const { monitor_id: id, dimension, name, is_today: isToday } of rows) {
      this.#known.get(id)?.names[dimension].add(name);
      if (isToday) this.#known.get(id)?.today.add(`${dimension} ${name}`);
    }
  }

  #use(fresh: NewName[], undo: (() => void)[], one: NewName): string {
    const { monitorId, dimension, name } = one;
    const known = this.#known.get(monitorId);
    if (name === '' || !known) return name;
    const names = known.names[dimension];
    if (!names.has(name)) {
      if (names.size >= LIMITS[dimension]) return OTHER;
      names.add(name);
      undo.push(() => names.delete(name));
    }
    const key = `${dimension} ${name}`;
    if (!known.today.has(key)) {
      known.today.add(key);
      undo.push(() => known.today.delete(key));
      if (dimension !== 'error') fresh.push(one);
    }
    return name;
  }
}
