/** Rows of what teams decided for their projects, and what uses a project. */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RegistryPolicy } from '@slipway/contract/registry/policy.ts';
import type { Db } from '#db/database.ts';
import { openPolicy } from './policy.ts';

export const registryRow = (db: Db, app: string) =>
  db.selectFrom('container_registry').selectAll().where('app_id', '=', app).executeTakeFirst();
export type RegistryRow = NonNullable<Awaited<ReturnType<typeof registryRow>>>;

/** A team that decides for the first time has one from then on. */
export const ensureRow = async (db: Db, app: string): Promise<void> => {
  await db
    .insertInto('container_registry')
    .values({ app_id: app, policy: JSON.stringify(openPolicy) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};
export const policyOfApp = async (db: Db, app: string): Promise<RegistryPolicy> => (await registryRow(db, app))?.policy ?? openPolicy;

export interface UsingService {
  readonly environment: Environment;
  readonly service: string;
}
/** Services of the app whose images lie in its project. */
export const servicesOf = async (db: Db, app: string): Promise<UsingService[]> => {
  const { rows } = await sql<UsingService>`
    select environment, name as service from service
    where app_id = ${app} and split_part(spec ->> 'containerImageName', '/', 2) = ${app}
    order by environment desc, name limit 20`.execute(db);
  return rows;
};
