/** Secret groups as the resource kernel has them: rows as the contract shows them, and what makes, changes and deletes one. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import {
  expiryOf,
  secretGroupDeleteRule,
  secretGroupResource,
  type SecretGroup,
  type SecretGroupCopy,
  type SecretGroupCreate,
} from '@slipway/contract/secret/secret-group.ts';
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { rowAt, type Asked, type Entity, type Names, type Write } from '#modules/resources/index.ts';
import { canManage, canReveal, currentVersion, isInternal, requireFreeGroup, type GroupKey } from './groups.sql.ts';
import type { SecretValues } from './seal.ts';
import { openValues, requireGroup, sealPlace, type SecretDeps } from './secret-groups.ts';
import { attachedSql, needsRestart, readsKey, type Attachment } from './usage.sql.ts';
import type { SealedRows } from './vault.ts';
import { insertVersion, type VersionOrigin } from './versions.sql.ts';

interface Row {
  readonly name: string;
  readonly app_id: string;
  readonly environment: SecretGroup['environment'];
  readonly team_id: string;
  readonly kind: SecretGroup['kind'];
  readonly auto_attach: boolean;
  readonly version: number;
  readonly version_count: number;
  readonly keys: readonly { readonly key: string; readonly size: number; readonly expiresAt: string | null }[];
  readonly attached: readonly Attachment[];
  readonly is_pinned: boolean;
  readonly created_at: Date;
  readonly created_by: string;
  readonly created_by_name: string;
  readonly updated_at: Date;
}

const columns = sql`secret_group.*, app.team_id, newest.version, newest.version_count,
  (select coalesce(jsonb_agg(jsonb_build_object('key', value.key, 'size', value.size_bytes, 'expiresAt', expiry.expires_at)
      order by value.key collate "C"), '[]')
    from secret_value value left join secret_key_expiry expiry on expiry.group_id = value.group_id and expiry.key = value.key
    where value.group_id = secret_group.id and value.version = newest.version) as keys,
  (select coalesce(jsonb_agg(to_jsonb(attached) order by attached.service), '[]') from (${attachedSql}) as attached) as attached,
  exists (select from revision join service on service.id = revision.service_id
    where service.app_id = secret_group.app_id and service.environment = secret_group.environment
      and revision.status <> 'DELETED' and jsonb_exists(revision.secret_versions, secret_group.name)) as is_pinned`;

const from = sql`secret_group join app on app.id = secret_group.app_id cross join lateral (
  select max(version) as version, count(*)::integer as version_count from secret_version where group_id = secret_group.id) as newest`;

const toView = (row: Row, caller: Caller): SecretGroup => {
  const manage = canManage(row.kind, caller);
  const isInUse = row.attached.length > 0 || row.is_pinned;
  const services = row.attached.map((item) => ({
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
      isUnused: !row.attached.some((item) => readsKey(item, row.name, key)),
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
      reveal: canReveal(caller, row.team_id),
      restart: services.some((item) => item.needsRestart) ? true : 'NothingToRestart',
    },
  };
};

/** Sealed for where it goes, and not yet written. */
interface NewGroup {
  readonly name: string;
  readonly kind: SecretGroup['kind'];
  readonly autoAttach: boolean;
  readonly origin: VersionOrigin;
  readonly keys: readonly string[];
  readonly sealed: SealedRows;
}
const keyOf = ({ app = '', env, group = '' }: Names): GroupKey => ({ app, environment: Environment.parse(env), group });

const sealedGroup = async (
  { db, vault }: SecretDeps,
  key: GroupKey,
  values: SecretValues,
  wanted: Pick<NewGroup, 'kind' | 'autoAttach' | 'origin'>,
): Promise<NewGroup> => {
  await requireFreeGroup(db, key, 'name');
  return { ...wanted, name: key.group, keys: [...values.keys()], sealed: await vault.seal(sealPlace(key, 1), values) };
};

const newGroup =
  (deps: SecretDeps) =>
  ({ caller, names, wanted }: Asked<z.output<typeof SecretGroupCreate>, object>): Promise<NewGroup> => {
    const { name, kind, autoAttach, entries } = wanted;
    if (kind === 'PLATFORM' && !isInternal(caller)) throw new Problem('ManageInternalSecretGroups', { field: 'kind' });
    const values = new Map(entries.map((entry) => [entry.key, entry.value]));
    return sealedGroup(deps, keyOf({ ...names, group: name }), values, { kind, autoAttach, origin: { origin: 'CREATED', from: null } });
  };

/** The newest version's values, sealed anew for where they go: a copy opens nowhere but there. */
export const copiedGroup = async (deps: SecretDeps, key: GroupKey, to: z.output<typeof SecretGroupCopy>): Promise<NewGroup> => {
  const { id } = await requireGroup(deps.db, key);
  const version = await currentVersion(deps.db, id);
  const values = await openValues(deps, key, id, version);
  const origin = { origin: 'COPIED', from: `${key.environment}/${key.group}@${version}` } as const;
  const target = { app: key.app, environment: to.environment, group: to.name };
  return sealedGroup(deps, target, values, { kind: 'USER', autoAttach: false, origin });
};

const insert = async ({ trx, caller, names, wanted }: Write<NewGroup>) => {
  const { name, kind, autoAttach, origin, keys, sealed } = wanted;
  const { app, environment } = keyOf(names);
  const by = { created_by: caller.id, created_by_name: caller.displayName };
  const row = await trx
    .insertInto('secret_group')
    .values({ id: newId('sg'), app_id: app, environment, name, kind, auto_attach: autoAttach, ...by })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return undefined;
  await insertVersion(trx, row.id, sealed, caller, origin);
  return {
    ...(origin.from === null ? {} : { message: `${caller.displayName} created the secret group ${name} from ${origin.from}` }),
    after: { group: name, version: 1, keys, autoAttach, kind },
  };
};

const update = async ({
  trx,
  caller,
  names,
  before,
  wanted,
}: Write<{ readonly autoAttach: boolean }> & { readonly before: SecretGroup }) => {
  const key = keyOf(names);
  const { group } = key;
  const { autoAttach } = wanted;
  await trx
    .updateTable('secret_group')
    .set({ auto_attach: autoAttach, updated_at: new Date() })
    .where(({ and }) => and(rowAt(key, key.group)))
    .execute();
  return {
    reason: autoAttach ? 'AutoAttached' : 'NotAutoAttached',
    message: `${caller.displayName} attached ${group} to ${autoAttach ? 'every service' : 'chosen services only'}`,
    before: { group, autoAttach: before.autoAttach },
    after: { group, autoAttach },
  };
};

export const groupEntity = (deps: SecretDeps): Entity<SecretGroup, Row, NewGroup, { readonly autoAttach: boolean }> => ({
  resource: secretGroupResource,
  table: 'secret_group',
  key: { app: 'app_id', env: 'environment', group: 'name' },
  columns,
  from,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at' },
  search: ['name'],
  toView,
  title: ({ name }) => name,
  create: { prepare: newGroup(deps), name: ({ name }) => name, field: 'name', insert },
  update,
  before: ({ name }) => ({ group: name }),
});
