/** An environment's secret groups by name, and attaching several groups at once. A copied service keeps its groups by name. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { placeSql } from '#modules/resources/index.ts';
import type { Place } from './usage.sql.ts';

export interface EnvironmentGroup {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly isAutoAttached: boolean;
  /** Keys of the newest version. */
  readonly keys: readonly string[];
}

export const environmentGroups = async (db: Db, place: Place): Promise<EnvironmentGroup[]> => {
  const { rows } = await sql<EnvironmentGroup>`
    select secret_group.id, secret_group.name, secret_group.kind, secret_group.auto_attach as "isAutoAttached",
      array(select value.key from secret_value value where value.group_id = secret_group.id
        and value.version = (select max(version) from secret_version where group_id = secret_group.id) order by 1) as keys
    from secret_group where ${placeSql(place, 'secret_group')}
    order by secret_group.name`.execute(db);
  return rows;
};

export interface GroupToAttach {
  readonly id: string;
  readonly name: string;
  readonly exposeAsEnvironment: boolean;
}

/**
 * Attaches groups to a service. Leaves existing attachments unchanged and skips groups that no longer exist. Returns the names of the
 * existing groups.
 */
export const attachGroups = async (db: Db, serviceId: string, groups: readonly GroupToAttach[]): Promise<string[]> => {
  const attached: string[] = [];
  for (const { id, name, exposeAsEnvironment } of groups) {
    const row = await db.selectFrom('secret_group').select('id').where('id', '=', id).forShare().executeTakeFirst();
    if (!row) continue;
    await db
      .insertInto('service_secret_group')
      .values({ service_id: serviceId, group_id: id, expose_as_environment: exposeAsEnvironment })
      .onConflict((conflict) => conflict.columns(['service_id', 'group_id']).doNothing())
      .execute();
    attached.push(name);
  }
  return attached;
};
export const detachGroups = async (db: Db, serviceId: string, groups: readonly Pick<GroupToAttach, 'id'>[]): Promise<void> => {
  const ids = groups.map(({ id }) => id);
  await db
    .deleteFrom('service_secret_group')
    .where('service_id', '=', serviceId)
    .where('group_id', 'in', [...ids, ''])
    .execute();
};
