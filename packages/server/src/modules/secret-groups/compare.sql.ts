/** Compares versions and environments by keyed hashes: nothing is opened, and no value can be shown. */
import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { SecretEnvironmentComparison, SecretVersionComparison } from '@slipway/contract/secret/secret-group.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { versionExists, versionHashes } from './versions.sql.ts';

type Change = z.infer<typeof SecretVersionComparison>['keys'][number]['change'];

const changeOf = (now: string | undefined, before: string | undefined): Change => {
  if (before === undefined) return 'ADDED';
  if (now === undefined) return 'REMOVED';
  return now === before ? 'SAME' : 'CHANGED';
};

export const compareVersions = async (
  db: Db,
  groupId: string,
  version: number,
  other: number,
): Promise<z.infer<typeof SecretVersionComparison>> => {
  for (const one of [version, other]) if (!(await versionExists(db, groupId, one))) throw new Problem('SecretVersionDoesNotExist');
  const [now, before] = [await versionHashes(db, groupId, version), await versionHashes(db, groupId, other)];
  const names = [...new Set([...now.keys(), ...before.keys()])].toSorted();
  return { version, with: other, keys: names.map((key) => ({ key, change: changeOf(now.get(key), before.get(key)) })) };
};

interface Row {
  name: string;
  environment: 'development' | 'production';
  version: number;
  keys: Record<string, string>;
}
type State = SecretEnvironmentComparison['groups'][number]['keys'][number]['state'];

const stateOf = (development: string | undefined, production: string | undefined): State => {
  if (production === undefined) return 'ONLY_DEVELOPMENT';
  if (development === undefined) return 'ONLY_PRODUCTION';
  return development === production ? 'SAME' : 'DIFFERENT';
};

/** The newest versions of every group of the app, by group and key. */
export const compareEnvironments = async (db: Db, app: string): Promise<SecretEnvironmentComparison> => {
  const { rows } = await sql<Row>`
    select secret_group.name, secret_group.environment, newest.version,
      coalesce((select jsonb_object_agg(value.key, encode(value.hash, 'hex')) from secret_value value
        where value.group_id = secret_group.id and value.version = newest.version), '{}') as keys
    from secret_group, lateral (select max(version) as version from secret_version where group_id = secret_group.id) newest
    where secret_group.app_id = ${app} order by secret_group.name collate "C"`.execute(db);
  const groups = Map.groupBy(rows, ({ name }) => name);
  return {
    groups: [...groups].map(([name, both]) => {
      const [development, production] = (['development', 'production'] as const).map((one) => both.find((row) => row.environment === one));
      const keys = [...new Set(both.flatMap((row) => Object.keys(row.keys)))].toSorted();
      return {
        name,
        development: development?.version ?? null,
        production: production?.version ?? null,
        keys: keys.map((key) => ({ key, state: stateOf(hashOf(development, key), hashOf(production, key)) })),
      };
    }),
  };
};
const hashOf = (row: Row | undefined, key: string): string | undefined => (row && Object.hasOwn(row.keys, key) ? row.keys[key] : undefined);
