/** Rows of secret groups, and the group and its versions as the contract shows them. Nothing here can open a value. */
import { sql } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import {
  expiryOf,
  secretGroupDeleteRule,
  secretGroupManageRule,
  secretRevealRule,
  secretVersionDeleteRule,
  type SecretGroup,
  type SecretVersion,
} from '@slipway/contract/secret/secret-group.ts';
import type { Db } from '#db/database.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { countTotal, orderOf, pageOf } from '#kernel/page.ts';
import { attachments, needsRestart, pinnedVersions, readsKey, type Attachment, type Place } from './usage.sql.ts';

export interface GroupKey extends Place {
  readonly group: string;
}
/** Who looks, and at which app: decides what is possible. */
export interface Viewer {
  readonly caller: Caller;
  readonly app: Owner & { readonly id: string };
}

export const groupRow = (db: Db, { app, environment, group }: GroupKey) =>
  db
    .selectFrom('secret_group')
    .selectAll()
    .where('app_id', '=', app)
    .where('environment', '=', environment)
    .where('name', '=', group)
    .executeTakeFirst();
/** Takes turns with everything else that changes the group, and with revisions that pin a version of it. */
export const lockGroup = (trx: Db, id: string) =>
  trx.selectFrom('secret_group').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The newest version that there is; a group always has one. */
export const currentVersion = async (db: Db, groupId: string): Promise<number> => {
  const { version } = await db
    .selectFrom('secret_version')
    .select((at) => at.fn.max('version').as('version'))
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow();
  return version;
};

const selectGroups = (db: Db) =>
  db
    .selectFrom('secret_group')
    .selectAll('secret_group')
    .select([
      sql<number>`(select max(version) from secret_version where group_id = secret_group.id)`.as('version'),
      sql<number>`(select count(*)::integer from secret_version where group_id = secret_group.id)`.as('version_count'),
      sql<{ key: string; size: number; expiresAt: string | null }[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('key', value.key, 'size', value.size_bytes, 'expiresAt', expiry.expires_at)
          order by value.key collate "C"), '[]')
        from secret_value value left join secret_key_expiry expiry on expiry.group_id = value.group_id and expiry.key = value.key
        where value.group_id = secret_group.id
          and value.version = (select max(version) from secret_version where group_id = secret_group.id))`.as('keys'),
    ]);
type Row = Awaited<ReturnType<ReturnType<typeof selectGroups>['executeTakeFirstOrThrow']>>;

/** What an internal service account is: the automation that administrators gave the environment's token (core §6). */
export const isInternal = (caller: Caller): boolean => caller.isAutomation;
export const canManage = (kind: SecretGroup['kind'], caller: Caller): true | 'ManageInternalSecretGroups' =>
  secretGroupManageRule({ kind }, isInternal(caller));
export const canReveal = ({ caller, app }: Viewer) =>
  secretRevealRule({ isAutomation: caller.isAutomation, isMember: caller.memberOf.has(app.teamId) });

interface Usage {
  readonly attached: readonly Attachment[];
  readonly pinned: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
}
const usageOf = async (db: Db, place: Place): Promise<Usage> => ({
  attached: await attachments(db, place),
  pinned: await pinnedVersions(db, place),
});

const groupOf = (row: Row, usage: Usage, viewer: Viewer): SecretGroup => {
  const attached = usage.attached.filter(({ groupId }) => groupId === row.id);
  const manage = canManage(row.kind, viewer.caller);
  const isInUse = attached.length > 0 || (usage.pinned.get(row.name)?.size ?? 0) > 0;
  const services = attached.map((item) => ({
    service: item.service,
    exposeAsEnvironment: item.exposeAsEnvironment,
    isAutoAttached: item.isAutoAttached,
    runsVersion: item.runsVersion,
    needsRestart: needsRestart(item, row.version),
  }));
  const now = new Date();
  return {
    name: row.name,
    app: row.app_id,
    environment: row.environment,
    kind: row.kind,
    autoAttach: row.auto_attach,
    version: row.version,
    versionCount: row.version_count,
    keys: row.keys.map(({ key, size, expiresAt }) => ({
      key,
      sizeBytes: size,
      expiresAt,
      expiry: expiryOf(expiresAt, now),
      isUnused: !attached.some((item) => readsKey(item, row.name, key)),
    })),
    services,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    updatedAt: row.updated_at.toISOString(),
    can: {
      update: manage,
      versionCreate: manage,
      delete: manage === true ? secretGroupDeleteRule({ isInUse }) : manage,
      copy: true,
      reveal: canReveal(viewer),
      restart: services.some((item) => item.needsRestart) ? true : 'NothingToRestart',
    },
  };
};

export const groupByName = async (db: Db, key: GroupKey, viewer: Viewer): Promise<SecretGroup | undefined> => {
  const row = await selectGroups(db)
    .where('secret_group.app_id', '=', key.app)
    .where('secret_group.environment', '=', key.environment)
    .where('secret_group.name', '=', key.group)
    .executeTakeFirst();
  return row && groupOf(row, await usageOf(db, key), viewer);
};

interface Filter {
  readonly page: number;
  readonly size: number;
  readonly query?: string | undefined;
  readonly sort?: string | undefined;
}
const columns = { name: 'secret_group.name', createdAt: 'secret_group.created_at', updatedAt: 'secret_group.updated_at' } as const;

export const groupPage = async (db: Db, place: Place, filter: Filter, viewer: Viewer): Promise<Page<SecretGroup>> => {
  let rows = db.selectFrom('secret_group').where('app_id', '=', place.app).where('environment', '=', place.environment);
  if (filter.query) rows = rows.where('name', 'ilike', `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`);
  const total = await countTotal(db, rows.select('id'));
  const order = orderOf(filter.sort, columns, { column: 'secret_group.name', direction: 'asc' });
  const found = await selectGroups(db)
    .where('secret_group.id', 'in', rows.select('id'))
    .orderBy(order.column, order.direction)
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  const usage = await usageOf(db, place);
  return pageOf(
    found.map((row) => groupOf(row, usage, viewer)),
    total,
    filter,
  );
};

export const versionPage = async (
  db: Db,
  place: Place,
  group: { id: string; name: string; kind: SecretGroup['kind'] },
  filter: Filter,
  viewer: Viewer,
): Promise<Page<SecretVersion>> => {
  const all = db.selectFrom('secret_version').where('group_id', '=', group.id);
  const facts = await all
    .select((at) => [at.fn.countAll<number>().as('total'), at.fn.max('version').as('current')])
    .executeTakeFirstOrThrow();
  const rows = await all
    .selectAll()
    .select(
      sql<string[]>`(select coalesce(jsonb_agg(key order by key collate "C"), '[]') from secret_value value
        where value.group_id = secret_version.group_id and value.version = secret_version.version)`.as('keys'),
    )
    .orderBy('version', 'desc')
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  const pinned = (await pinnedVersions(db, place)).get(group.name);
  const manage = canManage(group.kind, viewer.caller);
  const content = rows.map((row): SecretVersion => {
    const revisions = pinned?.get(row.version) ?? [];
    const remove = secretVersionDeleteRule({ versionCount: facts.total, revisions });
    return {
      version: row.version,
      isCurrent: row.version === facts.current,
      keys: row.keys,
      origin: row.origin,
      from: row.origin_from,
      createdAt: row.created_at.toISOString(),
      createdBy: { id: row.created_by, displayName: row.created_by_name },
      revisions,
      can: { delete: manage === true ? remove : manage, restore: manage },
    };
  });
  return pageOf(content, facts.total, filter);
};
