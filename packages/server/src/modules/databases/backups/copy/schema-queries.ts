/**
 * Catalog queries that return statements. Each query returns `key`, `name` and `sql` of one kind of object, in the order in which kinds are
 * created. PostgreSQL writes the definitions itself (`pg_get_…def`), with every name quoted and qualified.
 */

export interface QueryScope {
  readonly ofEveryDatabase: string;
  readonly ownSchemas: string;
  notOfExtension(catalogue: string, oid: string): string;
}

const keyed = (catalogue: string, oid: string): string => `'${catalogue}/' || ${oid} as key`;
const optionsOf = `case when reloptions is null then '' else ' with (' || array_to_string(reloptions, ', ') || ')' end`;
const collation = (of: string, usual: string): string =>
  `case when ${of} <> 0 and ${of} <> ${usual} then ' collate ' || ${of}::regcollation::text else '' end`;
const sequenceOptions = `format('start with %s increment by %s minvalue %s maxvalue %s cache %s%s', seqstart, seqincrement, seqmin, seqmax, seqcache,
  case when seqcycle then ' cycle' else '' end)`;

/** Column definition for `create table`. Partitions have no identity of their own. Constraints that are not valid yet are added later. */
const column = `format('%I %s', attname, format_type(atttypid, atttypmod)) || ${collation('attcollation', 'typcollation')}
  || case attgenerated when 's' then format(' generated always as (%s) stored', pg_get_expr(adbin, adrelid))
       when 'v' then format(' generated always as (%s) virtual', pg_get_expr(adbin, adrelid)) else '' end
  || case when not attnotnull then ''
       when required.conname is null then ' not null'
       when not required.convalidated then ''
       else format(' constraint %I not null', required.conname) end
  || case when attidentity = '' or relispartition then ''
       else format(' generated %s as identity (sequence name %s %s)', case attidentity when 'a' then 'always' else 'by default' end,
         pg_get_serial_sequence(format('%I.%I', nspname, relname), attname), ${sequenceOptions}) end`;

const tables = ({ ownSchemas, notOfExtension }: QueryScope): string => `
  select ${keyed('pg_class', 'pg_class.oid')}, format('%I.%I', nspname, relname) as name,
    format('create %stable %I.%I (%s)%s%s', case relpersistence when 'u' then 'unlogged ' else '' end, nspname, relname, (
      select string_agg(${column}, ', ' order by attnum)
      from pg_attribute join pg_type on pg_type.oid = atttypid
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
        left join pg_constraint as required on contype = 'n' and conrelid = attrelid and conkey = array[attnum]
        left join pg_depend on attidentity <> '' and deptype = 'i' and classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass
          and refobjid = attrelid and refobjsubid = attnum
        left join pg_sequence on seqrelid = pg_depend.objid
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
      case when relkind = 'p' then ' partition by ' || pg_get_partkeydef(pg_class.oid) else '' end, ${optionsOf}) as sql
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p') and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')}`;

/** Selects the tables in the database's own schemas, with the name of the table as `owner`. */
const ofTables = ({ ownSchemas, notOfExtension }: QueryScope, kinds: string): string =>
  `(select pg_class.oid as owner_oid, relkind as owner_kind, format('%I.%I', nspname, relname) as owner from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in (${kinds}) and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')}) as own`;

/** Servers before version 17 name the locale column differently. */
const collations = ({ ownSchemas, notOfExtension }: QueryScope): string => `
  select ${keyed('pg_collation', 'pg_collation.oid')}, format('%I.%I', nspname, collname) as name,
    format('create collation %I.%I (provider = %s, %s, deterministic = %s%s)', nspname, collname,
      case collprovider when 'i' then 'icu' when 'b' then 'builtin' else 'libc' end,
      case collprovider when 'c' then format('lc_collate = %L, lc_ctype = %L', collcollate, collctype)
        else format('locale = %L', coalesce(facts ->> 'colllocale', facts ->> 'colliculocale')) end,
      collisdeterministic::text, ', rules = ' || quote_literal(collicurules)) as sql
  from pg_collation join pg_namespace on pg_namespace.oid = collnamespace cross join lateral to_jsonb(pg_collation) as facts
  where ${ownSchemas} and ${notOfExtension('pg_collation', 'pg_collation.oid')}`;

const ranges = ({ ownSchemas, notOfExtension }: QueryScope): string => `
  select ${keyed('pg_type', 'pg_type.oid')}, format('%I.%I', nspname, typname) as name,
    format('create type %I.%I as range (subtype = %s, subtype_opclass = %s%s%s, multirange_type_name = %s)', nspname, typname,
      format_type(rngsubtype, null), (select format('%I.%I', of.nspname, opcname) from pg_opclass join pg_namespace as of on of.oid = opcnamespace
        where pg_opclass.oid = rngsubopc),
      case when rngcollation = 0 then '' else ', collation = ' || rngcollation::regcollation end,
      case when rngsubdiff = 0 then '' else ', subtype_diff = ' || rngsubdiff::regproc end,
      (select format('%I.%I', of.nspname, several.typname) from pg_type as several join pg_namespace as of on of.oid = several.typnamespace
        where several.oid = rngmultitypid)) as sql
  from pg_type join pg_namespace on pg_namespace.oid = typnamespace join pg_range on rngtypid = pg_type.oid
  where ${ownSchemas} and ${notOfExtension('pg_type', 'pg_type.oid')}`;

const domainConstraints = ({ ownSchemas, notOfExtension }: QueryScope, which: string): string => `
  select ${keyed('pg_constraint', 'pg_constraint.oid')}, conname as name,
    format('alter domain %s add constraint %I %s', contypid::regtype, conname, pg_get_constraintdef(pg_constraint.oid)) as sql
  from pg_constraint join pg_namespace on pg_namespace.oid = connamespace
  where contypid <> 0 and contype = 'c' and ${which} and ${ownSchemas} and ${notOfExtension('pg_type', 'contypid')}`;

const types = ({ ownSchemas, notOfExtension }: QueryScope): string => `
  select ${keyed('pg_type', 'pg_type.oid')}, format('%I.%I', nspname, typname) as name, case typtype
    when 'e' then format('create type %I.%I as enum (%s)', nspname, typname,
      (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid))
    when 'd' then format('create domain %I.%I as %s%s%s%s', nspname, typname, format_type(typbasetype, typtypmod),
      ${collation('typcollation', '(select base.typcollation from pg_type as base where base.oid = pg_type.typbasetype)')},
      case when typdefault is null then '' else ' default ' || coalesce(pg_get_expr(typdefaultbin, 0), quote_literal(typdefault)) end,
      case when typnotnull then ' not null' else '' end)
    else format('create type %I.%I as (%s)', nspname, typname, coalesce((select string_agg(
        format('%I %s', attname, format_type(atttypid, atttypmod)) || ${collation('attcollation', 'part.typcollation')}, ', ' order by attnum)
      from pg_attribute join pg_type as part on part.oid = atttypid where attrelid = pg_type.typrelid and attnum > 0 and not attisdropped), ''))
    end as sql
  from pg_type join pg_namespace on pg_namespace.oid = typnamespace
  where (typtype in ('e', 'd') or typtype = 'c' and exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c'))
    and ${ownSchemas} and ${notOfExtension('pg_type', 'pg_type.oid')}`;

const defaults = (scope: QueryScope, kinds: string): string => `
  select ${keyed('pg_attrdef', 'pg_attrdef.oid')}, owner || '.' || attname as name,
    format('alter table only %s alter column %I set default %s', owner, attname, pg_get_expr(adbin, adrelid)) as sql
  from pg_attrdef join ${ofTables(scope, kinds)} on owner_oid = adrelid
    join pg_attribute on attrelid = adrelid and attnum = adnum where attgenerated = '' and not attisdropped`;

/** Storage settings of columns. They affect only performance. A default statistics target is null since PostgreSQL 17. */
const columnSettings = (scope: QueryScope, kinds: string): string => `
  select 'column/' || attrelid || '/' || attnum as key, owner || '.' || attname as name,
    format('alter table only %s ', owner) || concat_ws(', ',
      case when attstorage <> typstorage then format('alter column %I set storage %s', attname,
        case attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end) end,
      case attcompression when 'p' then format('alter column %I set compression pglz', attname)
        when 'l' then format('alter column %I set compression lz4', attname) end,
      case when attstattarget >= 0 then format('alter column %I set statistics %s', attname, attstattarget) end,
      case when attoptions is not null then format('alter column %I set (%s)', attname, array_to_string(attoptions, ', ')) end) as sql
  from pg_attribute join ${ofTables(scope, kinds)} on owner_oid = attrelid join pg_type on pg_type.oid = atttypid
  where attnum > 0 and not attisdropped
    and (attstorage <> typstorage or attcompression <> '' or attstattarget >= 0 or attoptions is not null)`;

const constraints = (scope: QueryScope, which: string, kinds = `'r', 'p'`): string => `
  select ${keyed('pg_constraint', 'pg_constraint.oid')}, owner || '.' || conname as name,
    format('alter table %s%s add constraint %I %s', case when contype = 'f' or not convalidated then '' else 'only ' end, owner, conname,
      pg_get_constraintdef(pg_constraint.oid)) as sql
  from pg_constraint join ${ofTables(scope, kinds)} on owner_oid = conrelid where ${which}`;

/** Statements that must run before rows are inserted. */
export const beforeRows = (scope: QueryScope): readonly string[] => {
  const { ofEveryDatabase, ownSchemas, notOfExtension } = scope;
  return [
    `select ${keyed('pg_namespace', 'oid')}, nspname as name, format('create schema if not exists %I', nspname) as sql
     from pg_namespace where ${ownSchemas} and ${notOfExtension('pg_namespace', 'oid')}`,
    `select ${keyed('pg_extension', 'pg_extension.oid')}, extname as name,
       format('create extension if not exists %I with schema %I', extname, nspname) as sql
     from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname not in ${ofEveryDatabase}`,
    collations(scope),
    types(scope),
    ranges(scope),
    domainConstraints(scope, 'convalidated'),
    `select ${keyed('pg_proc', 'pg_proc.oid')}, pg_proc.oid::regprocedure::text as name, pg_get_functiondef(pg_proc.oid) as sql
     from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
     where prokind in ('f', 'p', 'w') and ${ownSchemas} and ${notOfExtension('pg_proc', 'pg_proc.oid')}
       and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'i')`,
    `select ${keyed('pg_class', 'pg_class.oid')}, format('%I.%I', nspname, relname) as name,
       format('create %ssequence %I.%I as %s ', case relpersistence when 'u' then 'unlogged ' else '' end, nspname, relname, format_type(seqtypid, null)) || ${sequenceOptions} as sql
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_sequence on seqrelid = pg_class.oid
     where relkind = 'S' and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')}
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'i')`,
    tables(scope),
    defaults(scope, `'r', 'p'`),
    columnSettings(scope, `'r', 'p'`),
    constraints(scope, `contype = 'c' and convalidated`),
    `select ${keyed('pg_class', 'owner_oid')}, owner as name, format('alter table only %s attach partition %s %s', inhparent::regclass, owner,
       pg_get_expr(relpartbound, owner_oid)) as sql
     from ${ofTables(scope, `'r', 'p'`)} join pg_class on pg_class.oid = owner_oid join pg_inherits on inhrelid = owner_oid where relispartition`,
  ];
};

const indexesOf = (scope: QueryScope): string => `
  select ${keyed('pg_class', 'indexrelid')}, indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql
  from pg_index join ${ofTables(scope, `'r', 'p', 'm'`)} on owner_oid = indrelid
  where (indisvalid or owner_kind = 'p')
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x') and conrelid = indrelid)`;

const views = ({ ownSchemas, notOfExtension }: QueryScope): string => `
  select ${keyed('pg_class', 'pg_class.oid')}, format('%I.%I', nspname, relname) as name,
    format('create %sview %I.%I%s as %s%s', case relkind when 'm' then 'materialized ' else '' end, nspname, relname, ${optionsOf},
      rtrim(pg_get_viewdef(pg_class.oid), '; '), case relkind when 'm' then ' with no data' else '' end) as sql
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('v', 'm') and relpersistence <> 't' and ${ownSchemas} and ${notOfExtension('pg_class', 'pg_class.oid')}`;

const policies = (scope: QueryScope): string => `
  select ${keyed('pg_policy', 'pg_policy.oid')}, owner || '.' || polname as name,
    format('create policy %I on %s as %s for %s%s%s', polname, owner, case when polpermissive then 'permissive' else 'restrictive' end,
      case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      ' using (' || pg_get_expr(polqual, polrelid) || ')', ' with check (' || pg_get_expr(polwithcheck, polrelid) || ')') as sql
  from pg_policy join ${ofTables(scope, `'r', 'p'`)} on owner_oid = polrelid`;

/** Foreign keys follow the keys that they reference. Triggers follow the rows, which they would change again. */
export const afterRows = (scope: QueryScope): readonly string[] => {
  const { ownSchemas } = scope;
  return [
    constraints(scope, `contype in ('p', 'u', 'x')`),
    indexesOf(scope),
    `select ${keyed('pg_class', 'indexrelid')}, indexrelid::regclass::text as name,
       format('alter index %s attach partition %s', inhparent::regclass, indexrelid::regclass) as sql
     from pg_index join ${ofTables(scope, `'r', 'p'`)} on owner_oid = indrelid join pg_inherits on inhrelid = indexrelid`,
    domainConstraints(scope, 'not convalidated'),
    // Partitions are attached by now and inherit these constraints from their table.
    constraints(scope, `contype in ('n', 'c') and not convalidated and coninhcount = 0`),
    constraints(scope, `contype = 'f' and conparentid = 0`),
    `select 'identity/' || owner_oid as key, owner as name,
       format('alter table only %s replica identity %s', owner, case relreplident when 'f' then 'full' else 'nothing' end) as sql
     from ${ofTables(scope, `'r', 'p'`)} join pg_class on pg_class.oid = owner_oid where relreplident in ('f', 'n')`,
    `select 'marked/' || indexrelid || verb as key, owner as name, format('alter table only %s %s %I', owner, verb, relname) as sql
     from pg_index join ${ofTables(scope, `'r', 'p', 'm'`)} on owner_oid = indrelid join pg_class on pg_class.oid = indexrelid
       cross join (values ('replica identity using index'), ('cluster on')) as verbs (verb)
     where verb = 'cluster on' and indisclustered or verb <> 'cluster on' and indisreplident`,
    views(scope),
    defaults(scope, `'v'`),
    columnSettings(scope, `'m'`),
    `select ${keyed('pg_statistic_ext', 'pg_statistic_ext.oid')}, stxname as name, pg_get_statisticsobjdef(pg_statistic_ext.oid) as sql
     from pg_statistic_ext join pg_namespace on pg_namespace.oid = stxnamespace where ${ownSchemas}`,
    `select ${keyed('pg_rewrite', 'pg_rewrite.oid')}, owner || '.' || rulename as name, pg_get_ruledef(pg_rewrite.oid) as sql
     from pg_rewrite join ${ofTables(scope, `'r', 'p', 'v'`)} on owner_oid = ev_class where rulename <> '_RETURN'`,
    `select ${keyed('pg_trigger', 'pg_trigger.oid')}, owner || '.' || tgname as name, pg_get_triggerdef(pg_trigger.oid) as sql
     from pg_trigger join ${ofTables(scope, `'r', 'p', 'v'`)} on owner_oid = tgrelid where not tgisinternal and tgparentid = 0`,
    `select ${keyed('pg_trigger', 'pg_trigger.oid')}, owner || '.' || tgname as name, format('alter table %s %s trigger %I', owner,
       case tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, tgname) as sql
     from pg_trigger join ${ofTables(scope, `'r', 'p'`)} on owner_oid = tgrelid where not tgisinternal and tgparentid = 0 and tgenabled <> 'O'`,
    policies(scope),
    `select 'security/' || owner_oid as key, owner as name, format('alter table %s %s row level security', owner, verb) as sql
     from ${ofTables(scope, `'r', 'p'`)} join pg_class on pg_class.oid = owner_oid
       cross join (values ('enable'), ('force')) as verbs (verb)
     where verb = 'enable' and relrowsecurity or verb = 'force' and relforcerowsecurity`,
    `select 'owned/' || objid as key, objid::regclass::text as name,
       format('alter sequence %s owned by %s.%I', objid::regclass, refobjid::regclass, attname) as sql
     from pg_depend join ${ofTables(scope, `'S'`)} on owner_oid = objid join pg_attribute on attrelid = refobjid and attnum = refobjsubid
     where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and refobjsubid > 0 and deptype = 'a'`,
    `select 'filled/' || owner_oid as key, owner as name, format('refresh materialized view %s', owner) as sql
     from ${ofTables(scope, `'m'`)} join pg_class on pg_class.oid = owner_oid where relispopulated`,
    comments,
  ];
};

/** Maps the type names of `pg_identify_object` to those of `comment on`. Lower OIDs are the system's own objects. */
const comments = `
  select 'comment/' || classoid || '/' || objoid || '/' || objsubid as key, said.identity as name,
    format('comment on %s %s is %L', case
        when said.type like '% column' then 'column'
        when said.type in ('table constraint', 'domain constraint') then 'constraint'
        when said.type = 'statistics object' then 'statistics'
        when said.type = 'composite type' then 'type'
        else said.type end,
      case said.type when 'domain constraint' then replace(said.identity, ' on ', ' on domain ') else said.identity end, description) as sql
  from pg_description cross join lateral pg_identify_object(classoid, objoid, objsubid) as said
  where objoid >= 16384 and said.type not in ('extension', 'event trigger')
    and not exists (select from pg_depend as by where by.classid = classoid and by.objid = objoid and by.deptype = 'e')`;
