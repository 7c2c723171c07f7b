/** Reads what the payloads of an app need, in one statement, so that all of it is from one moment. */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { FlagKey } from '@slipway/contract/flag/flag-key.ts';
import type { Db } from '#db/database.ts';
import type { StoredFlag, StoredGroup } from '../payload.ts';

export interface StoredKey {
  readonly clientKey: string;
  readonly environment: Environment;
  readonly mode: FlagKey['mode'];
  readonly decryptionKey: string | null;
  /** Set for the key before a rotation. */
  readonly endsAt: string | null;
}
export interface AppFlags {
  readonly changedAt: string;
  readonly flags: readonly (StoredFlag & { readonly environment: Environment })[];
  readonly groups: readonly StoredGroup[];
  readonly keys: readonly StoredKey[];
}

export const readAppFlags = async (db: Db, app: string): Promise<AppFlags> => {
  const { rows } = await sql<AppFlags>`select
    coalesce((select changed_at from flag_state where app_id = ${app}), 'epoch') as "changedAt",
    (select coalesce(jsonb_agg(jsonb_build_object('name', flag.name, 'environment', version.environment, 'enabled', version.enabled,
        'value', version.value, 'rules', version.rules) order by flag.name), '[]')
      from flag cross join (values ('development'), ('production')) as place (environment)
      cross join lateral (select * from flag_version kept where kept.flag_id = flag.id and kept.environment = place.environment
        order by kept.version desc limit 1) as version
      where flag.app_id = ${app} and not flag.is_archived) as flags,
    (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'attribute', attribute, 'values', "values") order by name), '[]')
      from flag_group where app_id = ${app}) as groups,
    (select coalesce(jsonb_agg(jsonb_build_object('clientKey', one.client_key, 'environment', one.environment, 'mode', one.mode,
        'decryptionKey', one.decryption_key, 'endsAt', one.ends_at)), '[]')
      from (select client_key, environment, mode, decryption_key, null::timestamptz as ends_at from flag_key where app_id = ${app}
        union all select previous_key, environment, mode, decryption_key, previous_until from flag_key
          where app_id = ${app} and previous_key is not null and previous_until > now()) as one) as keys`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A select without a table returned no row');
  return { ...row, changedAt: new Date(row.changedAt).toISOString() };
};

export const appOfKey = async (db: Db, clientKey: string): Promise<string | undefined> => {
  const { rows } = await sql<{ app_id: string }>`select app_id from flag_key
    where client_key = ${clientKey} or (previous_key = ${clientKey} and previous_until > now())`.execute(db);
  return rows[0]?.app_id;
};

/** Notes that clients asked with these keys. */
export const noteRequests = async (db: Db, clientKeys: readonly string[]): Promise<void> => {
  await sql`update flag_key set requested_at = now() where client_key = any (${clientKeys}) or previous_key = any (${clientKeys})`.execute(
    db,
  );
};
