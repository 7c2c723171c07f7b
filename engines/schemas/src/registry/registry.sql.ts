/** SQL of the registry. Writers lock the environment's row first, so that writes to one environment are serialized. */
import type { Pool } from 'pg';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { CompatibilityLevel, SchemaType } from '@slipway/foundation/ports/schema.ts';
import type { SchemaReference, SubjectHead, SubjectVersion, VersionPlace } from '@slipway/foundation/ports/schema-registry.ts';

/** A pool, or one connection of it inside a transaction. */
export type Db = Pick<Pool, 'query'>;

export const modes = ['READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD'] as const;
export type RegistryMode = (typeof modes)[number];

/** Selects versions by deletion state. */
export type Which = 'live' | 'deleted' | 'all';
const counts = (which: Which, of = 'v'): string =>
  ({ live: `${of}.deleted_at is null`, deleted: `${of}.deleted_at is not null`, all: 'true' })[which];

export interface VersionRow {
  readonly version: number;
  readonly id: number;
  readonly isDeleted: boolean;
  readonly identity: Buffer;
}
export interface SubjectState {
  readonly level: CompatibilityLevel;
  readonly ownLevel: CompatibilityLevel | null;
  readonly mode: RegistryMode;
  readonly ownMode: RegistryMode | null;
  /** Oldest first, including deleted versions. */
  readonly versions: readonly VersionRow[];
}
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export const lockEnvironment = async (db: Db, environment: Environment): Promise<void> => {
  await db.query('select from schema_registry where environment = $1 for update', [environment]);
};

export const selectState = async (db: Db, environment: Environment, subject: string): Promise<SubjectState> => {
  const settings = await db.query<Omit<SubjectState, 'versions'>>(
    `select coalesce(own.level, r.level) as level, own.level as "ownLevel", coalesce(own.mode, r.mode) as mode, own.mode as "ownMode"
     from schema_registry r left join schema_registry_setting own on own.environment = r.environment and own.subject = $2
     where r.environment = $1`,
    [environment, subject],
  );
  const { rows: versions } = await db.query<VersionRow>(
    `select v.version, v.content_id as id, v.deleted_at is not null as "isDeleted", c.identity
     from schema_registry_version v join schema_registry_content c on c.environment = v.environment and c.id = v.content_id
     where v.environment = $1 and v.subject = $2 order by v.version`,
    [environment, subject],
  );
  const [found] = settings.rows;
  if (!found) throw new Error(`There is no schema registry of ${environment}`);
  return { ...found, versions };
};

const versionColumns = `v.subject, v.version, v.content_id as id, c.type, c.content, v.deleted_at is not null as "isDeleted",
  coalesce((select jsonb_agg(jsonb_build_object('name', u.name, 'subject', u.subject, 'version', u.version) order by u.position)
            from schema_registry_use u where u.environment = v.environment and u.content_id = v.content_id), '[]') as references`;
const versionTables = `schema_registry_version v join schema_registry_content c on c.environment = v.environment and c.id = v.content_id`;

/** Selects one version, or the newest if none is given. */
export const selectVersion = async (
  db: Db,
  environment: Environment,
  subject: string,
  version: number | 'latest',
  which: Which = 'live',
): Promise<SubjectVersion | undefined> => {
  const { rows } = await db.query<SubjectVersion>(
    `select ${versionColumns} from ${versionTables}
     where v.environment = $1 and v.subject = $2 and ($3::integer is null or v.version = $3) and ${counts(which)}
     order by v.version desc limit 1`,
    [environment, subject, version === 'latest' ? null : version],
  );
  return rows[0];
};

export const selectVersions = async (
  db: Db,
  environment: Environment,
  { prefix, which, isNewestOnly, page }: { prefix: string; which: Which; isNewestOnly: boolean; page: Page },
): Promise<readonly SubjectVersion[]> => {
  const { rows } = await db.query<SubjectVersion>(
    `select ${versionColumns} from ${versionTables}
     where v.environment = $1 and starts_with(v.subject, $2) and ${counts(which)}
       and (not $3 or not exists (select from schema_registry_version newer where newer.environment = v.environment
            and newer.subject = v.subject and newer.version > v.version and ${counts(which, 'newer')}))
     order by v.subject collate "C", v.version offset $4 limit $5`,
    [environment, prefix, isNewestOnly, page.offset, page.limit],
  );
  return rows;
};

export const selectSubjects = async (db: Db, environment: Environment, prefix: string, which: Which, page: Page): Promise<string[]> => {
  const { rows } = await db.query<{ subject: string }>(
    `select v.subject from schema_registry_version v where v.environment = $1 and starts_with(v.subject, $2) and ${counts(which)}
     group by v.subject order by v.subject collate "C" offset $3 limit $4`,
    [environment, prefix, page.offset, page.limit],
  );
  return rows.map(({ subject }) => subject);
};

export const selectHeads = async (db: Db, environment: Environment, subjects: readonly string[]): Promise<Map<string, SubjectHead>> => {
  const { rows } = await db.query<SubjectHead & { readonly subject: string }>(
    `select distinct on (v.subject) v.subject, v.version, v.content_id as id, coalesce(own.level, r.level) as level, own.level is not null as "isOwn"
     from schema_registry r join schema_registry_version v on v.environment = r.environment
     left join schema_registry_setting own on own.environment = v.environment and own.subject = v.subject
     where r.environment = $1 and v.subject = any($2) and ${counts('live')}
     order by v.subject, v.version desc`,
    [environment, subjects],
  );
  return new Map(rows.map(({ subject, ...head }) => [subject, head]));
};

export interface ContentRow {
  readonly type: SchemaType;
  readonly content: string;
  readonly references: readonly SchemaReference[];
}
export const selectContent = async (db: Db, environment: Environment, id: number): Promise<ContentRow | undefined> => {
  const { rows } = await db.query<ContentRow>(
    `select c.type, c.content,
       coalesce((select jsonb_agg(jsonb_build_object('name', u.name, 'subject', u.subject, 'version', u.version) order by u.position)
                 from schema_registry_use u where u.environment = c.environment and u.content_id = c.id), '[]') as references
     from schema_registry_content c where c.environment = $1 and c.id = $2`,
    [environment, id],
  );
  return rows[0];
};

export const selectMaxId = async (db: Db, environment: Environment): Promise<number> => {
  const { rows } = await db.query<{ id: number }>('select next_id - 1 as id from schema_registry where environment = $1', [environment]);
  return rows[0]?.id ?? 0;
};

export const selectPlaces = async (db: Db, environment: Environment, id: number, which: Which): Promise<VersionPlace[]> => {
  const { rows } = await db.query<VersionPlace>(
    `select v.subject, v.version from schema_registry_version v where v.environment = $1 and v.content_id = $2 and ${counts(which)}
     order by v.subject collate "C", v.version`,
    [environment, id],
  );
  return rows;
};

/** Selects versions whose contents refer to one of these. */
export const selectReferrers = async (
  db: Db,
  environment: Environment,
  subject: string,
  versions: readonly number[],
  which: Which,
): Promise<(VersionPlace & { readonly id: number; readonly to: number })[]> => {
  const { rows } = await db.query<VersionPlace & { id: number; to: number }>(
    `select distinct v.subject, v.version, v.content_id as id, u.version as to
     from schema_registry_use u join schema_registry_version v on v.environment = u.environment and v.content_id = u.content_id
     where u.environment = $1 and u.subject = $2 and u.version = any($3) and ${counts(which)}
     order by v.subject, v.version`,
    [environment, subject, versions],
  );
  return rows;
};

/** Returns the content's id. Inserts the content if it is missing, with the given id if there is one. */
export const ensureContent = async (
  db: Db,
  environment: Environment,
  content: ContentRow & { readonly identity: Buffer; readonly id: number | undefined },
): Promise<number> => {
  const known = await db.query<{ id: number }>('select id from schema_registry_content where environment = $1 and identity = $2', [
    environment,
    content.identity,
  ]);
  if (known.rows[0]) return known.rows[0].id;
  const { rows } = await db.query<{ id: number }>(
    `with given as (
       update schema_registry set next_id = greatest(next_id, coalesce($2, next_id) + 1) where environment = $1
       returning coalesce($2, next_id - 1) as id)
     insert into schema_registry_content (environment, id, type, content, identity)
     select $1, given.id, $3, $4, $5 from given returning id`,
    [environment, content.id ?? null, content.type, content.content, content.identity],
  );
  const id = rows[0]?.id ?? 0;
  await db.query(
    `insert into schema_registry_use (environment, content_id, position, name, subject, version)
     select $1, $2, used.position, used.value ->> 'name', used.value ->> 'subject', (used.value ->> 'version')::integer
     from jsonb_array_elements($3::jsonb) with ordinality as used (value, position)`,
    [environment, id, JSON.stringify(content.references)],
  );
  return id;
};

/** Selects the identity of the content with this id. */
export const selectIdentity = async (db: Db, environment: Environment, id: number): Promise<Buffer | undefined> => {
  const { rows } = await db.query<{ identity: Buffer }>('select identity from schema_registry_content where environment = $1 and id = $2', [
    environment,
    id,
  ]);
  return rows[0]?.identity;
};

export const insertVersion = async (db: Db, environment: Environment, { subject, version }: VersionPlace, id: number): Promise<void> => {
  await db.query('insert into schema_registry_version (environment, subject, version, content_id) values ($1, $2, $3, $4)', [
    environment,
    subject,
    version,
    id,
  ]);
};

export const markDeleted = async (db: Db, environment: Environment, subject: string, versions: readonly number[]): Promise<void> => {
  await db.query(
    `update schema_registry_version set deleted_at = now()
     where environment = $1 and subject = $2 and version = any($3) and deleted_at is null`,
    [environment, subject, versions],
  );
};

/** Deletes versions, and contents that no version uses any longer. */
export const deleteVersions = async (db: Db, environment: Environment, subject: string, versions: readonly number[]): Promise<void> => {
  const { rows } = await db.query<{ id: number }>(
    `select distinct v.content_id as id from schema_registry_version v
     where v.environment = $1 and v.subject = $2 and v.version = any($3)
       and not exists (select from schema_registry_version o where o.environment = v.environment and o.content_id = v.content_id
                       and (o.subject <> $2 or o.version <> all($3)))`,
    [environment, subject, versions],
  );
  const ids = rows.map(({ id }) => id);
  // Removes the references of these contents first: they may point to the versions being deleted.
  await db.query('delete from schema_registry_use where environment = $1 and content_id = any($2)', [environment, ids]);
  await db.query('delete from schema_registry_version where environment = $1 and subject = $2 and version = any($3)', [
    environment,
    subject,
    versions,
  ]);
  await db.query('delete from schema_registry_content where environment = $1 and id = any($2)', [environment, ids]);
};

/** Undefined keeps the setting. Null removes it. */
export interface Settings {
  readonly level?: CompatibilityLevel | null;
  readonly mode?: RegistryMode | null;
}
export const saveSettings = async (db: Db, environment: Environment, subject: string, { level, mode }: Settings): Promise<void> => {
  await db.query(
    `insert into schema_registry_setting as own (environment, subject, level, mode) values ($1, $2, $3, $4)
     on conflict (environment, subject) do update set level = case when $5 then $3 else own.level end, mode = case when $6 then $4 else own.mode end`,
    [environment, subject, level ?? null, mode ?? null, level !== undefined, mode !== undefined],
  );
  await db.query('delete from schema_registry_setting where environment = $1 and subject = $2 and level is null and mode is null', [
    environment,
    subject,
  ]);
};

export interface Defaults {
  readonly level: CompatibilityLevel;
  readonly mode: RegistryMode;
}
export const selectDefaults = async (db: Db, environment: Environment): Promise<Defaults> => {
  const { rows } = await db.query<Defaults>('select level, mode from schema_registry where environment = $1', [environment]);
  const [found] = rows;
  if (!found) throw new Error(`There is no schema registry of ${environment}`);
  return found;
};

export const saveDefaults = async (db: Db, environment: Environment, { level, mode }: Partial<Defaults>): Promise<void> => {
  await db.query('update schema_registry set level = coalesce($2, level), mode = coalesce($3, mode) where environment = $1', [
    environment,
    level ?? null,
    mode ?? null,
  ]);
};

/** Whether any subject has a version. */
export const hasVersions = async (db: Db, environment: Environment): Promise<boolean> => {
  const { rowCount } = await db.query('select from schema_registry_version where environment = $1 limit 1', [environment]);
  return (rowCount ?? 0) > 0;
};
