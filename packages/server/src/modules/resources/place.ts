/**
 * Finds rows below an environment. All such conditions are built here, so that none omits app or environment. A lint rule refuses others
 * (scripts/lint/place.mjs).
 */
import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Names } from './entity.ts';

export interface Place {
  readonly app: string;
  readonly environment: Environment;
}

/** Reads a place from path parameters. Throws if the environment is missing. */
export const placeOf = ({ app = '', env }: Names): Place => ({ app, environment: Environment.parse(env) });

/** Matches every row of a place: `where(({ and }) => and(inPlace(place)))`. */
export const inPlace = ({ app, environment }: Place) => ({ app_id: app, environment });

/** Matches the one row of this name in a place. */
export const rowAt = (place: Place, name: string) => ({ ...inPlace(place), name });

type Value = string | RawBuilder<unknown>;

/** Matches in SQL what `inPlace` matches, or `rowAt` if there is a name: `where ${placeSql(place, 'topic')}`. `table` may be an alias. */
export const placeSql = (
  { app, environment }: { readonly app: Value; readonly environment: Environment | RawBuilder<unknown> },
  table: string,
  name?: Value,
): RawBuilder<SqlBool> => {
  const column = (of: string) => sql.ref(`${table}.${of}`);
  const place = sql<SqlBool>`${column('app_id')} = ${app} and ${column('environment')} = ${environment}`;
  return name === undefined ? place : sql<SqlBool>`${place} and ${column('name')} = ${name}`;
};

/** Reads the one row of this name in the place that path parameters name. */
export const rowIn = async <Table extends keyof DB>(
  db: Db,
  table: Table,
  names: Names,
  name = '',
): Promise<Selectable<DB[Table]> | undefined> => {
  const { app, environment } = placeOf(names);
  const { rows } = await sql<Selectable<DB[Table]>>`
    select * from ${sql.table(table)} where ${placeSql({ app, environment }, table, name)}`.execute(db);
  return rows[0];
};
