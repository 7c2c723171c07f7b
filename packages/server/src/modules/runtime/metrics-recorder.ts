/** Turns the runtime's running averages and cumulative counts into one point per interval. */
import type { Db } from '#db/database.ts';
import type { EdgeStats } from '#ports/runtime.ts';
import { writePoints, type EdgeCount } from './metrics.sql.ts';
import type { AverageUse } from './stats-window.ts';

/** Requests that the edge served while this replica drove the runtime. */
export interface EdgeServed {
  requests: number;
  errors5xx: number;
}

export class MetricsRecorder {
  readonly #db: Db;
  /** Cumulative counts at the previous recording, by service. */
  #totals: ReadonlyMap<string, EdgeStats['total']>;
  readonly #served: EdgeServed;

  /** `before` holds counts that another replica has already recorded. */
  constructor(db: Db, before: readonly EdgeStats[] = [], served: EdgeServed = { requests: 0, errors5xx: 0 }) {
    this.#db = db;
    this.#served = served;
    this.#totals = totalsOf(before);
  }

  /** `at` is the beginning of the interval that has just ended. */
  async record(at: Date, use: ReadonlyMap<string, AverageUse>, edge: readonly EdgeStats[]): Promise<void> {
    const before = this.#totals;
    this.#totals = totalsOf(edge);
    const counts = edge.map(({ app, environment, p95Ms, service, total }): EdgeCount => {
      const last = before.get(keyOf({ app, environment, service })) ?? { requests: 0, errors5xx: 0 };
      // A lower count means that the counter restarted from zero.
      const since = (now: number, then: number): number => (now >= then ? now - then : now);
      return {
        app,
        environment,
        service,
        p95Ms,
        requests: since(total.requests, last.requests),
        errors5xx: since(total.errors5xx, last.errors5xx),
      };
    });
    for (const { requests, errors5xx } of counts) {
      this.#served.requests += requests;
      this.#served.errors5xx += errors5xx;
    }
    await writePoints(this.#db, at, use, counts);
  }
}

const keyOf = ({ app, environment, service }: Pick<EdgeStats, 'app' | 'environment' | 'service'>): string =>
  `${app}/${environment}/${service}`;

const totalsOf = (stats: readonly EdgeStats[]): ReadonlyMap<string, EdgeStats['total']> =>
  new Map(stats.map((entry) => [keyOf(entry), entry.total]));
