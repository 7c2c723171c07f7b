/** Compares two databases by the server's own catalogs, independently of how a copy reads a schema. */
import type pg from 'pg';

/** Types of values that differ per database (OIDs), and of column positions, which shift after a column was dropped. */
const ownNumbers = new Set([
  'oid',
  'xid',
  'regproc',
  'pg_node_tree',
  'oidvector',
  '_oid',
  'int2vector',
  '_int2',
  '_aclitem',
  'pg_lsn',
  'anyarray',
]);
const changing = new Set(
  `relpages reltuples relallvisible relallfrozen relhasrules relhastriggers relhasindex relhassubclass relnatts
   attnum adnum conkey attmissingval atthasmissing indnatts indnkeyatts objsubid refobjsubid prosrc
   enumsortorder extversion attinhcount coninhcount attislocal conislocal indcheckxmin attndims inhseqno connoinherit`.split(/\s+/),
);
const catalogues: Readonly<Record<string, string>> = {
  pg_class: `format('%s %s', relkind, oid::regclass)`,
  pg_attribute: `format('%s.%s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attcollation::regcollation)`,
  pg_attrdef: `format('%s.%s %s', adrelid::regclass, (select attname from pg_attribute where attrelid = adrelid and attnum = adnum), pg_get_expr(adbin, adrelid))`,
  pg_type: `format('%s %s', oid::regtype, typbasetype::regtype)`,
  pg_constraint: `format('%s %s %s %s', conrelid::regclass, contypid::regtype, conname, pg_get_constraintdef(oid))`,
  pg_index: `pg_get_indexdef(indexrelid)`,
  pg_proc: `case when prokind in ('f', 'p') then pg_get_functiondef(oid) else oid::regprocedure::text end`,
  pg_trigger: `case when tgisinternal then '' else pg_get_triggerdef(oid) end`,
  pg_policy: `format('%s %s %s %s', polrelid::regclass, polname, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))`,
  pg_rewrite: `pg_get_ruledef(oid)`,
  pg_sequence: `seqrelid::regclass::text`,
  pg_statistic_ext: `pg_get_statisticsobjdef(oid)`,
  pg_enum: `format('%s %s', enumtypid::regtype, enumlabel)`,
  pg_range: `format('%s %s %s', rngtypid::regtype, rngsubtype::regtype, rngmultitypid::regtype)`,
  pg_inherits: `format('%s %s', inhrelid::regclass, inhparent::regclass)`,
  pg_namespace: `nspname::text`,
  pg_collation: `collname::text`,
  pg_description: `(select format('%s %s', type, identity) from pg_identify_object(classoid, objoid, objsubid))`,
};
/** First OID of user objects. Lower OIDs belong to the system. */
const first = 16384;
const numberOf: Readonly<Record<string, string>> = {
  pg_attribute: 'attrelid',
  pg_index: 'indexrelid',
  pg_sequence: 'seqrelid',
  pg_range: 'rngtypid',
  pg_inherits: 'inhrelid',
  pg_description: 'objoid',
};

export const catalogueLines = async (client: pg.ClientBase): Promise<string[]> => {
  const lines: string[] = [];
  await client.query(`set search_path = ''`);
  for (const [catalogue, identity] of Object.entries(catalogues)) {
    const { rows: columns } = await client.query<{ name: string; type: string }>(
      `select attname as name, typname as type from pg_attribute join pg_type on pg_type.oid = atttypid where attrelid = $1::regclass and attnum > 0`,
      [`pg_catalog.${catalogue}`],
    );
    const shown = columns.filter(({ name, type }) => !ownNumbers.has(type) && !changing.has(name)).map(({ name }) => `t.${name}::text`);
    const where =
      catalogue === 'pg_attribute' ? 'and attnum > 0 and not attisdropped' : catalogue === 'pg_trigger' ? 'and not tgisinternal' : '';
    const { rows } = await client.query<{ line: string }>(
      `select ${identity} || ' ' || array[${shown.join(', ')}]::text[]::text as line from pg_catalog.${catalogue} as t
       where ${numberOf[catalogue] ?? 'oid'} >= ${first} ${where}`,
    );
    lines.push(...rows.map(({ line }) => `${catalogue} ${line}`));
  }
  // The name of a TOAST table contains the OID of its table.
  return lines.filter((line) => !/pg_toast/.test(line)).toSorted();
};
