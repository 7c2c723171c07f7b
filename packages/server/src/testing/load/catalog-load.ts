/**
 * Rows as a catalog of many applications has them: skewed names, owners, labels and criticalities. The database generates them itself, and
 * the same numbers make the same rows.
 */
import type pg from 'pg';

export interface CatalogLoad {
  readonly applications: number;
  readonly platforms: number;
  readonly portfolios: number;
  readonly people: number;
  /** Owns a share of the entries. */
  readonly member: string;
}

const areas = `berth crane vessel cargo gate reefer customs yard tug pilot lock quay tide stevedore container manifest booking invoice payroll badge
  fleet fuel rail truck barge weather radar beacon dredge mooring warehouse pallet parcel tariff ledger budget forecast audit claim safety
  incident permit visitor camera sensor energy water waste noise contract supplier tender asset workshop spare inspection training roster`;
const roles = `planner tracker portal gateway service engine archive report dashboard monitor scheduler broker adapter console index feed
  exchange registry optimizer simulator notifier importer exporter validator calculator viewer editor hub vault queue`;
const words = (text: string): string => `'{${text.trim().split(/\s+/).join(',')}}'::text[]`;
/** An element of an array; those in front are chosen more often. */
const skewed = (array: string): string => `(${array})[1 + floor(cardinality(${array}) * power(random(), 2))::integer]`;

/** Names of applications: words of an area and a role, a made-up word, and a number where names repeat. */
const statements = ({ applications, platforms, portfolios, people, member }: CatalogLoad): readonly string[] => [
  'select setseed(0.42)',
  `insert into identity (id, type, display_name, email)
     select 'load-' || n, 'USER', initcap(${skewed(words(areas))} || ' ' || substr(translate(md5(n::text), '0123456789', 'aeiouklmns'), 1, 7)), 'load-' || n || '@example.com'
     from generate_series(1, ${people}) n`,
  `insert into catalog_label (id, name, description, created_by)
     select 'LBL-L' || n, 'label-' || n, '', 'load' from generate_series(1, 200) n`,
  `create temporary table load_word on commit drop as
     select n, substr(translate(md5('w' || n), '0123456789', 'aeiouklmns'), 1, 4 + n % 5) as word from generate_series(1, 20000) n`,
  'create unique index on load_word (n)',
  `create temporary table load_entry on commit drop as
     select kind, picked.n, area || ' ' || coalesce(word || ' ', '') || role as norm, random() as chance,
       array[case when random() < 0.02 then '${member}' else 'load-' || 1 + floor(${people} * power(random(), 2)) end,
         'load-' || 1 + floor(${people} * random())] as owners,
       case when random() < 0.6 then '{}'::text[] else array['LBL-L' || 1 + floor(20 * power(random(), 2)), 'LBL-L' || 21 + floor(180 * power(random(), 2))] end as labels,
       floor(${platforms} * power(random(), 1.7))::integer + 1 as platform, floor(${portfolios} * power(random(), 2.5))::integer + 1 as portfolio
     from (select kind, n, ${skewed(words(areas))} as area, ${skewed(words(roles))} as role, 1 + floor(20000 * power(random(), 2)) as pick
       from (select 'portfolio' as kind, n from generate_series(1, ${portfolios}) n union all select 'platform', n from generate_series(1, ${platforms}) n
         union all select 'application', n from generate_series(1, ${applications}) n) as kinds) as picked
     left join load_word on load_word.n = pick`,
  // The first portfolio is large: its platforms hold more than 20,000 of 300,000 applications.
  `create temporary table load_row on commit drop as
     select case kind when 'application' then 'MAC-' || 100000 + n when 'platform' then 'PLT-L' || n else 'PFO-L' || n end as id, kind, norm, owners, labels,
       'The ' || norm || ' of the harbor: who plans, moves or bills ' || split_part(norm, ' ', 1) || ' work uses it every day.' as description,
       case when kind <> 'application' then 'ACTIVE' when chance < 0.02 then 'PENDING' when chance < 0.03 then 'REJECTED' when chance < 0.13 then 'DECOMMISSIONED' else 'ACTIVE' end as status,
       case when kind = 'application' then 'PLT-L' || platform end as platform_id,
       case kind when 'application' then 'PFO-L' || platform_portfolio when 'platform' then 'PFO-L' || portfolio end as portfolio_id,
       case when kind = 'application' and graded < 0.9 then (array['supporting', 'important', 'business-critical', 'mission-critical'])[1 + floor(4 * power(graded, 2))] end as criticality,
       case when kind = 'application' and graded < 0.9 then (array['INTERNAL', 'CONFIDENTIAL', 'PUBLIC', 'RESTRICTED'])[1 + floor(4 * power(seen, 2))] end as classification,
       case when kind = 'application' and chance > 0.9 then current_date + floor(1000 * graded)::integer end as target_date,
       kind = 'application' and seen < 0.7 as is_verified, graded, seen, n
     from (select picked.*, random() as graded, random() as seen, norm || case when place > 1 then ' ' || place else '' end as unique_norm
       from (select entry.kind, entry.n, entry.norm, entry.chance, entry.owners, entry.labels, entry.platform, entry.portfolio,
           above.portfolio as platform_portfolio, row_number() over (partition by entry.kind, entry.norm order by entry.n) as place
         from load_entry entry left join load_entry above on entry.kind = 'application' and above.kind = 'platform' and above.n = entry.platform) as picked) as drawn
         (kind, n, former, chance, owners, labels, platform, portfolio, platform_portfolio, place, graded, seen, norm)`,
  'create unique index on load_row (id)',
  `insert into catalog_entry (id, kind, name, norm, description, status, owners, type, code, platform_id, portfolio_id, criticality, classification,
       mip_layer, target_date, labels, production_deployed, seen_running_at, attested_at, activated_at, created_at, modified_at, created_by, modified_by,
       is_valid, is_verified, failing, source, document)
     select own.id, own.kind, initcap(own.norm), own.norm, own.description, own.status, own.owners,
       case own.kind when 'platform' then 'OPERATIONS' when 'portfolio' then 'BUSINESS' end, case when own.kind = 'portfolio' then 'L' || own.n end,
       own.platform_id, own.portfolio_id, own.criticality, own.classification,
       case when own.kind = 'application' then (array['process', 'system', 'data', 'experience'])[1 + floor(4 * own.seen)] end, own.target_date, own.labels,
       own.seen < 0.7, case when own.seen < 0.7 then now() end, now() - make_interval(days => floor(400 * own.graded)::integer),
       now() - interval '500 days', now() - interval '500 days', now() - make_interval(mins => floor(500000 * own.seen)::integer),
       own.owners[1], own.owners[1], own.status = 'ACTIVE' and own.criticality is not null, own.is_verified,
       case when own.kind <> 'application' then '{}'::text[]
         else array_remove(array[case when own.seen >= 0.7 then 'runs' end, case when own.criticality is null then 'graded' end], null) end, 'IMPORT',
       setweight(to_tsvector('simple', catalog_words(concat_ws(' ', own.id, own.norm))), 'A')
         || setweight(to_tsvector('simple', catalog_words(concat_ws(' ', platform.norm, portfolio.norm, first_owner.display_name, second_owner.display_name))), 'B')
         || setweight(to_tsvector('simple', catalog_words(concat_ws(' ', own.description, array_to_string(own.labels, ' ')))), 'C')
     from load_row own left join load_row platform on platform.id = own.platform_id left join load_row portfolio on portfolio.id = own.portfolio_id
       left join identity first_owner on first_owner.id = own.owners[1] left join identity second_owner on second_owner.id = own.owners[2]
     order by own.kind desc, own.n`,
  `insert into catalog_count (kind, facet, value, n)
     select kind, facet, value, count(*) from catalog_entry cross join lateral (values ('status', status),
       ('cell', jsonb_build_array(status, criticality, classification, case when kind = 'application' then is_verified::text end)::text),
       ('criticality', case when status = 'REJECTED' then null else criticality end), ('classification', case when status = 'REJECTED' then null else classification end),
       ('verified', case when kind = 'application' and status <> 'REJECTED' then is_verified::text end),
       ('platform', case when status = 'REJECTED' then null else platform_id end), ('portfolio', case when status = 'REJECTED' then null else portfolio_id end)) as facets (facet, value)
     where created_by like 'load-%' and value is not null group by kind, facet, value`,
  `insert into catalog_count (kind, facet, value, n)
     select kind, 'label', label, count(*) from catalog_entry cross join unnest(labels) as label where status <> 'REJECTED' and label like 'LBL-L%' group by kind, label`,
  `insert into catalog_word (word, uses) select word, ndoc from ts_stat('select document from catalog_entry where document is not null order by md5(id)')
     on conflict (word) do update set uses = excluded.uses`,
];

/** Fills the catalog. Indexes are built at the end, which takes a fraction of the time of filling them row by row. */
export const seedCatalogLoad = async (client: pg.ClientBase, load: CatalogLoad): Promise<void> => {
  await client.query(`set statement_timeout = 0; set maintenance_work_mem = '256MB'; set work_mem = '64MB'`);
  await client.query('begin');
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'catalog_entry'::regclass and not indisprimary`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query('alter table catalog_entry disable trigger user');
  for (const statement of statements(load)) await client.query(statement);
  await client.query('alter table catalog_entry enable trigger user');
  await client.query('commit');
  for (const { definition } of indexes) await client.query(definition);
  await client.query('vacuum analyze');
  await client.query('reset statement_timeout; reset maintenance_work_mem; reset work_mem');
};
