/** Writes of a monitor beside create, update and delete. Each locks the monitor, checks its rules, and is recorded. */
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { formerKeyHours, monitorForward, monitorResource, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import { transaction, type Db } from '#db/database.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { Problem } from '#kernel/problem.ts';
import { checkTarget, type Seals } from '#modules/deliveries/index.ts';
import { lockFor, recordChange, requireEntity, type Names } from '#modules/resources/index.ts';
import { monitorId, newKey, type monitorEntity } from './monitor-entity.ts';

export interface MonitorDeps {
  readonly db: Db;
  readonly entity: ReturnType<typeof monitorEntity>;
  readonly outgoing: Outgoing;
  readonly seals: Seals;
  /** Called after a change, so that the collector of this replica uses it at once. */
  readonly onChange: () => void;
}
/** The monitor that a request names. */
export interface AtMonitor {
  readonly caller: Caller;
  readonly owner: Owner;
  readonly names: Names;
}
interface Writing {
  readonly verb: string;
  readonly route: RouteShape;
  readonly reason: string;
  /** Verb of the activity entry: `rotated the API key of`. */
  readonly did: string;
}

/** Runs a write in a transaction that holds the monitor's row. */
export const write = async <Result>(
  deps: MonitorDeps,
  { caller, owner, names }: AtMonitor,
  { verb, route, reason, did }: Writing,
  work: (trx: Db, id: string) => Promise<Result>,
): Promise<Result> => {
  const result = await transaction(deps.db, async (trx) => {
    const { name } = await lockFor(trx, deps.entity, { caller, names }, verb);
    const made = await work(trx, await requireMonitor(trx, names));
    const message = `${caller.displayName} ${did} the browser monitor ${name}`;
    await recordChange(trx, monitorResource, route, { caller, names, team: owner.teamId, title: name, reason, message });
    return made;
  });
  deps.onChange();
  return result;
};

export const requireMonitor = async (db: Db, names: Names): Promise<string> => {
  const id = await monitorId(db, names);
  if (id === undefined) throw new Problem('MonitorDoesNotExist');
  return id;
};

export const rotateKey = (deps: MonitorDeps, at: AtMonitor, route: RouteShape, endFormerNow: boolean): Promise<void> =>
  write(deps, at, { verb: 'rotate', route, reason: 'Rotated', did: 'replaced the API key of' }, async (trx, id) => {
    await sql`update monitor set former_api_key = ${endFormerNow ? sql`null` : sql`api_key`},
      former_key_until = ${endFormerNow ? sql`null` : sql`now() + make_interval(hours => ${formerKeyHours})`}, api_key = ${newKey()}
      where id = ${id}`.execute(trx);
  });

export const setForwarding = async (deps: MonitorDeps, at: AtMonitor, body: z.output<typeof monitorForward.body>): Promise<void> => {
  const { url, authorization } = body;
  if (url !== null) await checkTarget(deps.outgoing, url, { field: 'url', label: 'URL' });
  const id = await requireMonitor(deps.db, at.names);
  const sealed = authorization ? await deps.seals.seal(id, 'authorization', authorization) : null;
  const writing = {
    verb: 'forward',
    route: monitorForward,
    reason: url === null ? 'NotForwarded' : 'Forwarded',
    did: 'changed the forwarding of',
  };
  await write(deps, at, writing, async (trx, current) => {
    // The seal is only valid for the monitor that it was made for.
    if (current !== id) throw new Problem('MonitorDoesNotExist');
    // A stored header must not reach another host.
    const header =
      authorization === undefined ? sql`case when forward_url = ${url} then forward_authorization_sealed end` : sql`${sealed}::bytea`;
    await sql`update monitor set forward_authorization_sealed = ${header}, forward_url = ${url}, forward_failing_since = null,
      forward_failure = null, forward_dropped = 0 where id = ${id}`.execute(trx);
  });
};

export const viewOf = ({ db, entity }: MonitorDeps, { caller, names }: AtMonitor): Promise<Monitor> =>
  requireEntity(db, entity, names, caller);
