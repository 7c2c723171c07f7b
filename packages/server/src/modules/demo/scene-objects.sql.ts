/** Tells the objects of the scene from later ones of the same names, and finds what others put into its apps. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { rowIn } from '#modules/resources/index.ts';
import type { Names } from './scene.sql.ts';

/** Table of each kind below an environment, and the path parameter with its name. */
const tables = {
  service: ['service', 'service'],
  database: ['database', 'database'],
  schema: ['event_schema', 'schema'],
  topic: ['topic', 'topic'],
  account: ['account', 'account'],
  secretGroup: ['secret_group', 'group'],
  monitor: ['monitor', 'monitor'],
} as const;
const isPlaced = (kind: string): kind is keyof typeof tables => Object.hasOwn(tables, kind);

/** Returns what only this object has: its id, or the time of its creation if its name is its id. Undefined if it does not exist. */
export const findMadeId = async (db: Db, kind: string, names: Names): Promise<string | undefined> => {
  if (isPlaced(kind)) {
    const [table, parameter] = tables[kind];
    return (await rowIn(db, table, names, names[parameter]))?.id;
  }
  const created = sql<string>`extract(epoch from created_at)::text`.as('made');
  if (kind === 'team')
    return (
      await db
        .selectFrom('team')
        .select(created)
        .where('id', '=', names['team'] ?? '')
        .executeTakeFirst()
    )?.made;
  if (kind === 'application')
    return (
      await db
        .selectFrom('app')
        .select(created)
        .where('id', '=', names['app'] ?? '')
        .executeTakeFirst()
    )?.made;
  if (kind !== 'flag') return undefined;
  const { rows } = await sql<{ id: string }>`
    select id from flag where app_id = ${names['app']} and name = ${names['flag']}`.execute(db);
  return rows[0]?.id;
};

/** Tables whose rows the deletion of an app deletes. Services, databases, topics and schemas keep their app. */
const goneWithApp = {
  secret_group: 'secret group',
  flag: 'flag',
  flag_group: 'flag group',
  monitor: 'monitor',
  webhook: 'webhook',
} as const;

/** Finds something that the deletion of an app would delete with it, and that the scene did not make. */
export const findOthersIn = async (db: Db, app: string): Promise<string | undefined> => {
  const kept = Object.entries(goneWithApp).map(
    ([table, title]) => sql`select id, ${`${title} `} || name as title from ${sql.table(table)} where app_id = ${app}
      ${table === 'secret_group' ? sql`and kind = 'USER'` : sql``}`,
  );
  const { rows } = await sql<{ title: string }>`
    select title from (${sql.join(kept, sql` union all `)}) as kept
    where not exists (select from demo_item where made_id = kept.id) order by title limit 1`.execute(db);
  return rows[0]?.title;
};
