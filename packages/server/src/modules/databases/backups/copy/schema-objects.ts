/**
 * Reads a database's schema from the catalog as the statements that create it. Each statement names its object, so that the statements can
 * be sorted by dependency. Owners and grants are omitted: everything belongs to the new database's owner.
 */
import type pg from 'pg';
import { beforeRows, afterRows } from './schema-queries.ts';
import { ordered, type SchemaObject } from './schema-order.ts';

export interface CopiedTable {
  /** Qualified with its schema, quoted. */
  readonly name: string;
  /** Quoted. Excludes generated columns: `COPY` neither reads nor writes them. */
  readonly columns: readonly string[];
}
export interface Schema {
  readonly before: readonly string[];
  readonly tables: readonly CopiedTable[];
  /** All sequences, with and without an identity column. */
  readonly sequences: readonly string[];
  readonly after: readonly string[];
}

const run = async (client: pg.ClientBase, queries: readonly string[]): Promise<SchemaObject[]> => {
  const found: SchemaObject[] = [];
  for (const [rank, query] of queries.entries()) {
    const { rows } = await client.query<Omit<SchemaObject, 'rank'>>(query);
    found.push(...rows.map((row) => ({ ...row, rank })));
  }
  return found;
};

/** Extensions that the platform creates, or that every database has. */
const ofEveryDatabase = `('plpgsql', 'pg_stat_statements')`;
/** Excludes the system's schemas. */
export const ownSchemas = `nspname !~ '^pg_' and nspname <> 'information_schema'`;
/** Excludes objects that an extension created: they come with the extension. */
export const notOfExtension = (catalogue: string, oid: string): string =>
  `not exists (select from pg_depend as by where by.classid = '${catalogue}'::regclass and by.objid = ${oid} and by.deptype = 'e')`;

export const tablesOf = async (client: pg.ClientBase): Promise<CopiedTable[]> => {
  const { rows } = await client.query<CopiedTable>(
    `select format('%I.%I', nspname, relname) as name,
       coalesce((select array_agg(quote_ident(attname) order by attnum) from pg_attribute
         where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''), '{}') as columns
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')} order by 1`,
  );
  return rows;
};

const sequencesOf = async (client: pg.ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'S' and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')} order by 1`,
  );
  return rows.map(({ name }) => name);
};

/** Returns statements that set each sequence to its current value. */
export const sequenceValues = async (client: pg.ClientBase, sequences: readonly string[]): Promise<string[]> => {
  const statements: string[] = [];
  for (const name of sequences) {
    const { rows } = await client.query<{ sql: string }>(
      `select format('select pg_catalog.setval(%L, %s, %L)', $1::text, last_value, is_called) as sql from ${name}`,
      [name],
    );
    statements.push(...rows.map(({ sql }) => sql));
  }
  return statements;
};

export const readSchema = async (client: pg.ClientBase): Promise<Schema> => {
  const scope = { ofEveryDatabase, ownSchemas, notOfExtension };
  const before = await run(client, beforeRows(scope));
  const after = (await run(client, afterRows(scope))).map((object) => ({ ...object, rank: object.rank + before.length }));
  const { rows: needs } = await client.query<{ key: string; needs: string }>(dependencies);
  const { rows: aliases } = await client.query<{ key: string; of: string }>(sameAs);
  const statements = ordered([...before, ...after], { needs, aliases: new Map(aliases.map(({ key, of }) => [key, of])) });
  // Keeps the shortest prefix that still contains everything the rows refer to.
  const firsts = new Set(before.map(({ sql }) => sql));
  const last = statements.findLastIndex((sql) => firsts.has(sql));
  return {
    before: statements.slice(0, last + 1),
    tables: await tablesOf(client),
    sequences: await sequencesOf(client),
    after: statements.slice(last + 1),
  };
};

const keyOf = (catalogue: string, oid: string): string => `${catalogue}::regclass::text || '/' || ${oid}`;

/**
 * PostgreSQL rejects a new constraint on a domain that a table already uses in an array, a range or a row. So types and tables that use a
 * domain depend on its constraints. Functions do not: a constraint may call a function that uses its own domain.
 */
const domainUsers = `select distinct ${keyOf('users.classid', 'users.objid')}, ${keyOf("'pg_constraint'", 'pg_constraint.oid')}
  from pg_constraint join pg_type on pg_type.oid = contypid
    join pg_depend as users on users.refclassid = 'pg_type'::regclass and users.refobjid in (pg_type.oid, pg_type.typarray)
  where contype = 'c' and convalidated and users.classid in ('pg_class'::regclass, 'pg_type'::regclass) and users.objid <> pg_type.typarray`;

/** A sequence owned by a column is created before its table. A later statement sets the owner. */
const dependencies = `select ${keyOf('classid', 'objid')} as key, ${keyOf('refclassid', 'refobjid')} as needs from pg_depend
  where deptype in ('n', 'a', 'i', 'P', 'S') and classid <> 0 and refclassid <> 0
    and not (deptype in ('a', 'i') and classid = 'pg_class'::regclass and refobjsubid > 0
      and exists (select from pg_class where pg_class.oid = objid and relkind = 'S'))
  union all ${domainUsers}`;

/** Objects without a statement of their own, mapped to the object whose statement creates them. */
const sameAs = `
  select ${keyOf("'pg_type'", 'pg_type.oid')} as key, ${keyOf("'pg_class'", 'typrelid')} as of from pg_type where typrelid <> 0
    and exists (select from pg_class where pg_class.oid = typrelid and relkind <> 'c')
  union all select ${keyOf("'pg_class'", 'typrelid')}, ${keyOf("'pg_type'", 'pg_type.oid')} from pg_type where typrelid <> 0
    and exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c')
  union all select ${keyOf("'pg_type'", 'list.oid')}, coalesce(
      (select ${keyOf("'pg_class'", 'item.typrelid')} from pg_class where pg_class.oid = item.typrelid and relkind <> 'c'),
      ${keyOf("'pg_type'", 'item.oid')})
    from pg_type as item join pg_type as list on list.oid = item.typarray
  union all select ${keyOf("'pg_type'", 'several.oid')}, ${keyOf("'pg_type'", 'rngtypid')} from pg_range
    join pg_type as several on several.oid = rngmultitypid or several.typarray = 0 and several.typelem = rngmultitypid
  union all select ${keyOf("'pg_rewrite'", 'pg_rewrite.oid')}, ${keyOf("'pg_class'", 'ev_class')} from pg_rewrite where rulename = '_RETURN'
  union all select ${keyOf("'pg_attrdef'", 'pg_attrdef.oid')}, ${keyOf("'pg_class'", 'adrelid')} from pg_attrdef
    join pg_attribute on attrelid = adrelid and attnum = adnum where attgenerated <> ''
  union all select ${keyOf("'pg_class'", 'conindid')}, ${keyOf("'pg_constraint'", 'pg_constraint.oid')} from pg_constraint
    where contype in ('p', 'u', 'x') and conindid <> 0
  union all select ${keyOf("'pg_constraint'", 'pg_constraint.oid')}, ${keyOf("'pg_class'", 'conrelid')} from pg_constraint where contype = 'n' and conrelid <> 0`;
