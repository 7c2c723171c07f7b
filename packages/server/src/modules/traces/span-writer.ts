/** Stores spans in batches, up to a number of spans per team and day. */
import type { Pool, PoolClient } from 'pg';
import { BatchWriter, commitBatch } from '#kernel/ingest/batch-writer.ts';
import { DayPartitions } from '#kernel/ingest/day-partitions.ts';
import type { SpanRow } from './span.ts';

export const tracePartitions = new DayPartitions('trace_span', [{ parent: 'trace_span', retentionDays: 1 }]);

/** The revision that sent spans. */
export interface Sender {
  readonly teamId: string;
  readonly serviceId: string;
  readonly app: string;
  readonly environment: string;
  readonly service: string;
  readonly revision: string;
}
interface Item {
  readonly sender: Sender;
  readonly spans: readonly SpanRow[];
}

/** Requests in a batch. Each has up to 2,048 spans. */
const MAX_BATCH = 8;

export class SpanWriter {
  readonly #pool: Pool;
  readonly #cap: number;
  readonly #batches: BatchWriter<Item, number>;

  /** `cap` limits the stored spans of a team per day. */
  constructor(pool: Pool, cap: number) {
    this.#pool = pool;
    this.#cap = cap;
    this.#batches = new BatchWriter({ commit: (items) => this.#commit(items), maxBatch: MAX_BATCH });
  }

  /** Resolves to the number of spans for which the team has no room. */
  write(sender: Sender, spans: readonly SpanRow[]): Promise<number> {
    return this.#batches.write({ sender, spans });
  }

  #commit(items: readonly Item[]): Promise<number[]> {
    return commitBatch(this.#pool, {
      write: (client) => this.#write(client, items),
      partitions: () => tracePartitions.ensure(this.#pool, new Date()),
    });
  }

  async #write(client: PoolClient, items: readonly Item[]): Promise<number[]> {
    const room = await this.#room(client, [...new Set(items.map(({ sender }) => sender.teamId))].toSorted());
    const rows: object[] = [];
    const refused = items.map(({ sender: { teamId, serviceId, revision }, spans }) => {
      const left = room.get(teamId) ?? 0;
      const kept = spans.slice(0, left);
      room.set(teamId, left - kept.length);
      rows.push(...kept.map((span) => ({ ...span, team_id: teamId, service_id: serviceId, revision })));
      return spans.length - kept.length;
    });
    await client.query(
      `with added as (
         insert into trace_span (team_id, service_id, revision, trace_id, span_id, parent_id, name, kind, is_entry, is_error, message,
           started_at, duration_us, attributes)
         select team_id, service_id, revision, trace_id, span_id, parent_id, name, kind, is_entry, is_error, message, started_at, duration_us,
           attributes from jsonb_populate_recordset(null::trace_span, $1::jsonb)
         on conflict do nothing returning team_id)
       update trace_usage set spans = trace_usage.spans + counted.n
       from (select team_id, count(*)::integer as n from added group by team_id) as counted
       where trace_usage.team_id = counted.team_id and day = (now() at time zone 'UTC')::date`,
      [JSON.stringify(rows)],
    );
    return refused;
  }

  /** Locks the teams' usage in one order, and returns how many spans each may still store today. */
  async #room(client: PoolClient, teams: readonly string[]): Promise<Map<string, number>> {
    await client.query(
      `insert into trace_usage (team_id, day, spans) select team, (now() at time zone 'UTC')::date, 0 from unnest($1::text[]) as team
       on conflict do nothing`,
      [teams],
    );
    const { rows } = await client.query<{ team: string; spans: number }>(
      `select team_id as team, spans from trace_usage where team_id = any($1) and day = (now() at time zone 'UTC')::date
       order by team_id for update`,
      [teams],
    );
    return new Map(rows.map(({ team, spans }) => [team, Math.max(0, this.#cap - spans)]));
  }
}
