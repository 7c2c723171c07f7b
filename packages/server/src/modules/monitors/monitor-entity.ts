/** Monitors for the resource kernel: rows in the contract's shape, and how a monitor is created, changed and deleted. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import {
  monitorResource,
  type Monitor,
  type MonitorCreate,
  type MonitorUpdate,
  type RetentionDays,
} from '@slipway/contract/monitoring/monitor.ts';
import type { Selectable } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import { placeOf, rowAt, type Entity, type Names, type Write } from '#modules/resources/index.ts';

type Row = Selectable<DB['monitor']> & { readonly team_id: string };

const KEY_LENGTH = 24;
/** Lowercase letters and digits, which need no escaping in a URL. */
export const newKey = (): string =>
  BigInt(`0x${randomBytes(20).toString('hex')}`)
    .toString(36)
    .padStart(KEY_LENGTH, '0')
    .slice(-KEY_LENGTH);

const forwardingOf = (row: Row): Monitor['forwarding'] =>
  row.forward_url === null
    ? null
    : {
        url: row.forward_url,
        hasAuthorization: row.forward_authorization_sealed !== null,
        failingSince: row.forward_failing_since?.toISOString() ?? null,
        failure: row.forward_failure,
        dropped: row.forward_dropped,
      };

const isLater = (at: Date | null): boolean => at !== null && at > new Date();

export const monitorEntity = (publicUrl: string): Entity<Monitor, Row, MonitorCreate, Required<MonitorUpdate>> => ({
  resource: monitorResource,
  table: 'monitor',
  key: { app: 'app_id', env: 'environment', monitor: 'name' },
  columns: sql`monitor.*, app.team_id`,
  from: sql`monitor join app on app.id = monitor.app_id`,
  sort: { name: 'name', createdAt: 'created_at' },
  search: ['name'],
  toView: (row, caller) => {
    const member = memberRule(caller, row.team_id);
    return {
      name: row.name,
      app: row.app_id,
      environment: row.environment,
      appKey: row.app_key,
      apiKey: row.api_key,
      formerKeyUntil: isLater(row.former_key_until) ? (row.former_key_until?.toISOString() ?? null) : null,
      collectorUrl: `${publicUrl}/collect/${row.app_key}`,
      allowedOrigins: row.allowed_origins,
      samplePercent: row.sample_percent,
      retentionDays: row.retention_days,
      forwarding: forwardingOf(row),
      lastSeenAt: row.last_seen_at?.toISOString() ?? null,
      createdAt: row.created_at.toISOString(),
      createdBy: { id: row.created_by, displayName: row.created_by_name },
      can: { update: member, delete: member, rotate: member, forward: member, erase: member },
    };
  },
  title: ({ name }) => name,
  create: { name: ({ name }) => name, field: 'name', insert },
  complete: (before, changes: MonitorUpdate) => {
    const { allowedOrigins, samplePercent, retentionDays } = before;
    return keepOmitted({ allowedOrigins, samplePercent, retentionDays: retentionDays as RetentionDays }, changes);
  },
  update: async ({ trx, names, wanted }) => {
    const { allowedOrigins, samplePercent, retentionDays } = wanted;
    await trx
      .updateTable('monitor')
      .set({ allowed_origins: allowedOrigins, sample_percent: samplePercent, retention_days: retentionDays })
      .where(({ and }) => and(rowAt(placeOf(names), names['monitor'] ?? '')))
      .execute();
  },
  before: ({ allowedOrigins, samplePercent, retentionDays }) => ({ allowedOrigins, samplePercent, retentionDays }),
});

const insert = async ({ trx, caller, names, wanted }: Write<MonitorCreate>) => {
  const { app, environment } = placeOf(names);
  const { name, allowedOrigins, samplePercent, retentionDays } = wanted;
  const row = await trx
    .insertInto('monitor')
    .values({
      id: newId('mon'),
      app_id: app,
      environment,
      name,
      app_key: newKey(),
      api_key: newKey(),
      allowed_origins: allowedOrigins,
      sample_percent: samplePercent,
      retention_days: retentionDays,
      salt: newKey(),
      created_by: caller.id,
      created_by_name: caller.displayName,
    })
    .onConflict((conflict) => conflict.columns(['app_id', 'environment', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && {};
};

/** Returns undefined if there is no such monitor. */
export const monitorId = async (db: Db, names: Names): Promise<string | undefined> => {
  const row = await db
    .selectFrom('monitor')
    .select('id')
    .where(({ and }) => and(rowAt(placeOf(names), names['monitor'] ?? '')))
    .executeTakeFirst();
  return row?.id;
};
