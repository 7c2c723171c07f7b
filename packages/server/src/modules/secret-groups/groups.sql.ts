/** Rows of secret groups and their versions, and the rules for changing and reading them. Nothing here can open a value. */
import { sql } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import {
  secretGroupManageRule,
  secretRevealRule,
  secretVersionDeleteRule,
  type SecretGroup,
  type SecretVersion,
} from '@slipway/contract/secret/secret-group.ts';
import type { Db } from '#db/database.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { placeSql, rowAt, type Place } from '#modules/resources/index.ts';
import { pinnedVersions } from './usage.sql.ts';

export interface GroupKey extends Place {
  readonly group: string;
}
/** Caller and app of a request. They decide which actions are allowed. */
export interface Viewer {
  readonly caller: Caller;
  readonly app: Owner & { readonly id: string };
}

export const groupRow = (db: Db, key: GroupKey) =>
  db
    .selectFrom('secret_group')
    .selectAll()
    .where(({ and }) => and(rowAt(key, key.group)))
    .executeTakeFirst();
/** Columns that reserve names of groups, by table. The tables have `app_id` and `environment`. */
const reservations = new Map<string, readonly string[]>();
/** Declares that rows of a table reserve names for the groups of their pipelines. */
export const reservesGroups = (table: string, ...columns: readonly string[]): void => void reservations.set(table, columns);

/** Throws SecretGroupAlreadyExists if a group has the name, or if a row has reserved it. */
export const requireFreeGroup = async (db: Db, key: GroupKey, field = 'secretGroup'): Promise<void> => {
  const taken = [['secret_group', ['name']] as const, ...reservations].map(([table, columns]) => {
    const names = columns.map((column) => sql`${sql.ref(`${table}.${column}`)} = ${key.group}`);
    return sql`select from ${sql.table(table)} where ${placeSql(key, table)} and (${sql.join(names, sql` or `)})`;
  });
  const { rows } = await sql`${sql.join(taken, sql` union all `)} limit 1`.execute(db);
  if (rows.length > 0) throw new Problem('SecretGroupAlreadyExists', { field });
};
/** Locks the group. Excludes all other changes of the group, and revisions that pin a version of it. */
export const lockGroup = (trx: Db, id: string) =>
  trx.selectFrom('secret_group').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Returns the newest version. A group always has a version. */
export const currentVersion = async (db: Db, groupId: string): Promise<number> => {
  const { version } = await db
    .selectFrom('secret_version')
    .select((at) => at.fn.max('version').as('version'))
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow();
  return version;
};

/** Whether the caller is an internal service account: automation with the administrator token of the environment (core §6). */
export const isInternal = (caller: Caller): boolean => caller.isAutomation;
export const canManage = (kind: string, caller: Caller): true | 'ManageInternalSecretGroups' =>
  secretGroupManageRule({ kind: kind as SecretGroup['kind'] }, isInternal(caller));
export const canReveal = ({ isAutomation, memberOf }: Caller, team: string) =>
  secretRevealRule({ isAutomation, isMember: memberOf.has(team) });

export const versionPage = async (
  db: Db,
  place: Place,
  group: { id: string; name: string; kind: string },
  filter: { readonly page: number; readonly size: number },
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
