/** Finds objects that a copy would omit. A database with such objects gets no backup instead of an incomplete one. */
import type pg from 'pg';
import { notOfExtension, ownSchemas } from './schema-objects.ts';

/** Maximum number of objects listed. */
const NAMED = 10;

const inSchemas = (catalogue: string, schema: string, which = 'true'): string =>
  `select '${catalogue}'::regclass as class, ${catalogue}.oid as object from ${catalogue} join pg_namespace on pg_namespace.oid = ${schema}
   where ${ownSchemas} and ${which} and ${notOfExtension(catalogue, `${catalogue}.oid`)}`;
/** Objects without a schema. System objects have lower OIDs. */
const madeLater = (catalogue: string, which = 'true'): string =>
  `select '${catalogue}'::regclass, ${catalogue}.oid from ${catalogue}
   where ${catalogue}.oid >= 16384 and ${which} and ${notOfExtension(catalogue, `${catalogue}.oid`)}`;

/** Policies for specific roles: a restored database has different roles. */
const ofRoles = madeLater('pg_policy', `polroles <> '{0}'`);
const parts = [
  inSchemas('pg_class', 'relnamespace', `relkind = 'f'`),
  // Tables that inherit without being partitions, and typed tables.
  inSchemas(
    'pg_class',
    'relnamespace',
    `relkind in ('r', 'p') and (reloftype <> 0 or not relispartition and exists (select from pg_inherits where inhrelid = pg_class.oid))`,
  ),
  // Ranges with a canonical function: the function needs the type, and the type needs the function.
  inSchemas('pg_type', 'typnamespace', `exists (select from pg_range where rngtypid = pg_type.oid and rngcanonical <> 0)`),
  // Base types. Excludes array types, which PostgreSQL creates for other types.
  inSchemas('pg_type', 'typnamespace', `typtype = 'b' and not exists (select from pg_type as item where item.typarray = pg_type.oid)`),
  inSchemas('pg_proc', 'pronamespace', `prokind = 'a'`),
  inSchemas('pg_operator', 'oprnamespace'),
  inSchemas('pg_opclass', 'opcnamespace'),
  inSchemas('pg_conversion', 'connamespace'),
  inSchemas('pg_ts_config', 'cfgnamespace'),
  inSchemas('pg_ts_dict', 'dictnamespace'),
  inSchemas('pg_ts_parser', 'prsnamespace'),
  inSchemas('pg_ts_template', 'tmplnamespace'),
  // Casts of ranges come with their types.
  madeLater('pg_cast', `not exists (select from pg_depend where classid = 'pg_cast'::regclass and objid = pg_cast.oid and deptype = 'i')`),
  madeLater('pg_transform'),
  madeLater('pg_language'),
  madeLater('pg_foreign_data_wrapper'),
  madeLater('pg_foreign_server'),
  madeLater('pg_event_trigger'),
  madeLater('pg_publication'),
  ofRoles,
  `select 'pg_largeobject'::regclass, oid from pg_largeobject_metadata`,
];

/** Uses PostgreSQL's descriptions: `foreign table public.prices`. */
const described = async (client: pg.ClientBase, queries: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ what: string }>(
    `select pg_describe_object(class, object, 0) as what from (${queries.join('\nunion all ')}) as found order by what limit ${NAMED + 1}`,
  );
  const names = rows.map(({ what }) => what);
  return names.length > NAMED ? [...names.slice(0, NAMED), 'and more'] : names;
};

export const uncopied = (client: pg.ClientBase): Promise<string[]> => described(client, parts);

/** Finds objects that pg_dump would copy, but that cannot be restored or checked: a forced policy hides rows from the role that counts them. */
export const undumped = (client: pg.ClientBase): Promise<string[]> =>
  described(client, [inSchemas('pg_class', 'relnamespace', 'relforcerowsecurity'), ofRoles]);
