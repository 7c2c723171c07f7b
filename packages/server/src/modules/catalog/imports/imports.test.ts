/** Imports from the upload to the entries: preview, mapping, rights, faults line by line, repetition, and several workers at once. */
import { beforeEach, expect, test } from 'vitest';
import {
  catalogImportDelete,
  catalogImportList,
  catalogImportMappingSet,
  catalogImportResult,
  catalogImportRows,
  catalogImportStart,
  catalogImportView,
  maxImportRows,
  type CatalogImport,
} from '@slipway/contract/catalog/import.ts';
import { catalogLabelCreate } from '@slipway/contract/catalog/directory.ts';
import { catalogSearch } from '@slipway/contract/catalog/search.ts';
import { catalogApplicationList } from '@slipway/contract/catalog/application.ts';
import { errorsOf } from '#testing/app.ts';
import { catalogWorld, platform } from '../catalog.fixture.ts';
import { importDeps, importer, said, workAll } from './imports.fixture.ts';
import { workOff } from './import-worker.ts';

const world = catalogWorld();
const description = 'Plans which vessel is moored where and for how long.';
const { send, upload, refused, view, rows, check, start } = importer(world);
// Everybody may have three open imports.
beforeEach(() => world.sql('delete from catalog_import'));
const csv = (head: string, ...lines: string[]): string => `${[head, ...lines].join('\r\n')}\r\n`;
const entries = async (like: string) =>
  world.sql<{ kind: string; name: string; status: string; source: string; version: number }>(
    `select kind, name, status, source, version from catalog_entry where name like $1 order by kind, name`,
    [like],
  );

const whole = csv(
  'kind,name,description,owners,portfolio,platform,type,code,criticality,classification,labels',
  `Application,Harbor pilot,"${description}
Since 2019.",olga@example.test,,Harbor rails,,,Mission critical,internal,crane`,
  `platform,Harbor rails,${description},olga; Olga Owner,Harbor lands,,operations,,,,`,
  `portfolio,Harbor lands,${description},olga,,,business,HALA,,,`,
  `product,Harbor suite,${description},olga,,Harbor rails,,HA-1,,,`,
  `application,Harbor bad,Too short,olga,,Harbor rails,,,,,`,
  `application,Harbor lost,${description},nobody@example.test,,Harbor rails,,,,,`,
  `application,Harbor pilot,${description},olga,,Harbor rails,,,,,`,
  `application,Harbor astray,${description},olga,,No such platform,,,,,`,
  `application,Harbor odd,${description},olga,,Harbor rails,,,Very much,,`,
  `application,Harbor tagged,${description},olga,,Harbor rails,,,,,unknown`,
  `interface,Harbor API,${description},olga,,Harbor rails,,,,,`,
);

test('an administrator imports portfolios, platforms, products and applications of one file, and a repeat changes nothing', async () => {
  const [olga] = await world.sql<{ email: string }>(`select email from identity where id = 'olga'`);
  await world.good('administrator', catalogLabelCreate, { body: { name: 'crane' } });
  const file = whole.replaceAll('olga@example.test', olga?.email ?? 'olga').replaceAll('; Olga Owner', '');
  const made = await check('administrator', file);
  const preview = await rows('administrator', made);
  expect(made).toMatchObject({
    state: 'CHECKED',
    rows: 11,
    format: 'CSV',
    isDirect: true,
    counts: { create: 4, refused: 6, leftOut: 1, applied: 0 },
  });
  expect(said(preview)).toEqual([
    '2 CREATE application Harbor pilot',
    '4 CREATE platform Harbor rails',
    '5 CREATE portfolio Harbor lands',
    '6 CREATE product Harbor suite',
    '7 REFUSED description MinimumLength',
    '8 REFUSED owners OwnerNotInDirectory',
    '9 REFUSED ImportRowRepeated',
    '10 REFUSED platform PlatformNotActive',
    '11 REFUSED criticality OptionDoesNotExist',
    '12 REFUSED labels LabelDoesNotExist',
    '13 LEFT_OUT kind ImportKindUnknown',
  ]);
  expect(preview[5]).toMatchObject({ column: 'owners', message: 'nobody@example.test is not in the company directory' });
  expect(await entries('Harbor %')).toEqual([]);
  const rowsAfter = (after: string) =>
    world.app().call('administrator', catalogImportRows, { params: { importId: made.id }, query: { after } });
  expect((await rowsAfter('12')).body).toMatchObject({ content: [{ line: 13 }] });
  expect(errorsOf(await rowsAfter('3000000000'))).toEqual([400, 'after: InvalidValue']);

  const done = await start('administrator', made);
  expect(done).toMatchObject({ state: 'DONE', counts: { create: 4, applied: 4, requested: 0 } });
  const first = await entries('Harbor %');
  expect(first.map(({ kind, name, status, source }) => [kind, name, status, source])).toEqual([
    ['application', 'Harbor pilot', 'ACTIVE', 'IMPORT'],
    ['platform', 'Harbor rails', 'ACTIVE', 'IMPORT'],
    ['portfolio', 'Harbor lands', 'ACTIVE', 'IMPORT'],
    ['product', 'Harbor suite', 'ACTIVE', 'IMPORT'],
  ]);
  const { content } = await world.good<{ content: object[] }>('member', catalogApplicationList, { query: { name: 'harbor pilot' } });
  expect(content).toMatchObject([
    {
      criticalityCategory: { id: 'mission-critical' },
      classification: { id: 'INTERNAL' },
      labels: [{ name: 'crane' }],
      platform: { platformName: 'Harbor rails' },
    },
  ]);

  const again = await check('administrator', file);
  expect(again.counts).toMatchObject({ create: 0, change: 0, same: 4, refused: 6 });
  expect(await start('administrator', again)).toMatchObject({ state: 'DONE', counts: { applied: 0 } });
  expect(await entries('Harbor %')).toEqual(first);
});

test('the result names the reason of each refused line, and can be imported again after the correction', async () => {
  const made = await check(
    'administrator',
    csv('name,description,owners,platform', `Quay one,short,olga,${platform}`, `=Quay two,${description},olga,${platform}`),
  );
  const { body, status } = await world.call('administrator', catalogImportResult, {
    params: { importId: made.id },
    query: { outcome: 'REFUSED' },
  });
  expect([status, body]).toEqual([
    200,
    'line,outcome,entry,request,column,reason,name,description,owners,platform\r\n' +
      `2,REFUSED,,,description,${/description,([^,]*)/.exec(String(body).slice(80))?.[1]},Quay one,short,olga,${platform}\r\n`,
  ]);
  expect(body).toContain('20');
  await start('administrator', made);
  expect((await entries('%Quay%')).map(({ name }) => name)).toEqual(['=Quay two']);
});

test('the export of the search can be imported again and changes nothing', async () => {
  await world.onboard('Crane planner');
  const { body } = await world.call('administrator', catalogSearch, {
    query: { kind: 'application', status: 'ACTIVE' },
    headers: { accept: 'text/csv' },
  });
  const made = await check('administrator', String(body));
  expect(made.counts).toMatchObject({ create: 0, change: 0, refused: 0 });
  expect(made.counts.same).toBeGreaterThan(2);
});

test('others import what they could create: it waits for approval, and they change only entries of their own', async () => {
  const seeded = await world.onboard('Tide table');
  const file = csv(
    'id,name,description,owners,platform',
    `,Member made,${description},olga,${platform}`,
    `${seeded.applicationId},Tide table,${description} Changed.,olga,${platform}`,
    `MAC-99999,Gone,${description},olga,${platform}`,
  );
  const made = await check('stranger', file);
  expect(made.isDirect).toBe(false);
  expect(said(await rows('stranger', made))).toEqual([
    '2 CREATE application Member made',
    '3 REFUSED NotCatalogueOwner',
    '4 REFUSED id EntryDoesNotExist',
  ]);
  expect(await start('stranger', made)).toMatchObject({ state: 'DONE', counts: { applied: 1, requested: 1 } });
  expect(await entries('Member made')).toMatchObject([{ status: 'PENDING' }]);
  expect((await check('stranger', file)).counts).toMatchObject({ create: 0, change: 0, same: 1, refused: 2 });
  // An owner changes description at once.
  const own = await check('owner', csv('id,description', `${seeded.applicationId},${description} Changed.`));
  expect(await start('owner', own)).toMatchObject({ counts: { change: 1, applied: 1 } });
  expect((await world.view(seeded.applicationId)).description).toBe(`${description} Changed.`);
});

test('an import exists for its importer alone', async () => {
  const made = await check('owner', csv('name,description,owners,platform', `Lone,${description},olga,${platform}`));
  const params = { importId: made.id };
  const expected = [404, 'undefined: ImportDoesNotExist'];
  for (const route of [catalogImportView, catalogImportRows, catalogImportStart, catalogImportDelete])
    expect([route.id, await world.errors('administrator', route, { params })]).toEqual([route.id, expected]);
  expect(await world.errors('administrator', catalogImportMappingSet, { params, body: { mapping: {} } })).toEqual(expected);
  expect(await world.errors('administrator', catalogImportResult, { params })).toEqual(expected);
  const list = await world.good<CatalogImport[]>('administrator', catalogImportList);
  expect(list.map(({ id }) => id)).not.toContain(made.id);
  // Numbers of an import that is checked are read, not counted.
  await world.sql(`update catalog_import set counts = jsonb_set(counts, '{create}', '7777') where id = '${made.id}'`);
  const own = await world.good<CatalogImport[]>('owner', catalogImportList);
  expect(own.find(({ id }) => id === made.id)).toMatchObject({ counts: { checked: 1, create: 7777 } });
  expect((await world.call('owner', catalogImportDelete, { params })).status).toBe(204);
  expect(await world.errors('owner', catalogImportView, { params })).toEqual(expected);
});

test('the importer says which column is what, and gives values for all rows', async () => {
  const made = await check('administrator', csv('App;What it does', `Buoy watch;${description}`));
  expect(said(await rows('administrator', made))).toEqual(['2 REFUSED name Required']);
  const params = { importId: made.id };
  const mapping = {
    kind: { column: null, value: 'application' },
    name: { column: 0, value: null },
    description: { column: 1, value: null },
    owners: { column: null, value: 'olga' },
    platform: { column: null, value: platform.toLowerCase() },
  };
  await world.good('administrator', catalogImportMappingSet, { params, body: { mapping } });
  expect(await world.errors('administrator', catalogImportStart, { params })).toEqual([409, 'undefined: ImportNotOpen']);
  await workAll(importDeps(world));
  expect(said(await rows('administrator', made))).toEqual(['2 CREATE application Buoy watch']);
  await start('administrator', made);
  expect(await world.errors('administrator', catalogImportMappingSet, { params, body: { mapping } })).toEqual([
    409,
    'undefined: ImportNotOpen',
  ]);
});

test('columns of a LeanIX export are recognized, and its ids find the entries after they were renamed', async () => {
  const id = '28fe4aa2-6e46-41a1-a131-72afb3acf256';
  const file = (name: string) =>
    csv(
      'id,type,name,displayName,description,businessCriticality,lifecycle:endOfLife,subscriptions,relApplicationToPlatform',
      `${id},Application,${name},${name},${description},administrativeService,2099-01-31,olga,${platform}`,
      `x,BusinessCapability,Berthing,Berthing,${description},,,olga,`,
    );
  const made = await check('administrator', file('Lean one'));
  expect(made.format).toBe('LEANIX');
  expect(said(await rows('administrator', made))).toEqual(['2 CREATE application Lean one', '3 LEFT_OUT kind ImportKindUnknown']);
  await start('administrator', made);
  const renamed = await check('administrator', file('Lean two'));
  await start('administrator', renamed);
  expect(
    await world.sql(`select name, criticality, target_date::text, external_id from catalog_entry where external_id = $1`, [`leanix:${id}`]),
  ).toEqual([{ name: 'Lean two', criticality: 'supporting', target_date: '2099-01-31', external_id: `leanix:${id}` }]);
});

test('an id in the source that a rejected entry or another kind has is refused with that entry', async () => {
  const file = csv('id,type,name,description,owners,relApplicationToPlatform', `taken-1,Application,Taken,${description},olga,${platform}`);
  await world.sql(
    `insert into catalog_entry (id, kind, name, description, status, owners, external_id, created_by, modified_by)
     values ('MAC-666', 'application', 'Rejected', 'Was rejected', 'REJECTED', '{ada}', 'leanix:taken-1', 'ada', 'ada')`,
  );
  const made = await check('owner', file);
  expect(said(await rows('owner', made))).toEqual(['2 REFUSED externalId ImportIdTaken']);
  expect((await rows('owner', made))[0]?.message).toBe('The rejected entry MAC-666 has this id already');
  await world.sql(`update catalog_entry set kind = 'portfolio', status = 'ACTIVE' where id = 'MAC-666'`);
  const again = await check('administrator', file);
  expect((await rows('administrator', again))[0]?.message).toBe('The active entry MAC-666 has this id already');
  await world.sql(`delete from catalog_entry where id = 'MAC-666'`);
});

test('several workers share the rows of an import and write each once', async () => {
  const lines = Array.from({ length: 240 }, (_, at) => `Shared ${String(at).padStart(3, '0')},${description},olga,Shared rails`);
  const parent = `Shared rails,${description},olga,PFO-901`;
  const head = 'name,description,owners,platform,kind,type';
  const made = await upload(
    'administrator',
    csv(
      'name,description,owners,platform,kind,type,portfolio',
      ...lines.map((line) => `${line},application,,`),
      `Shared rails,${description},olga,,platform,DATA,Company`,
    ),
  );
  expect(head).not.toBe(parent);
  const deps = importDeps(world);
  await world.sql(
    `update catalog_entry set name = 'Company', status = 'ACTIVE' where kind = 'portfolio' and id = (select min(id) from catalog_entry where kind = 'portfolio')`,
  );
  await workAll(deps);
  expect(await view('administrator', made)).toMatchObject({ counts: { create: 241, refused: 0 } });
  await world.good('administrator', catalogImportStart, { params: { importId: made.id } });
  const worker = async (): Promise<void> => {
    for (let rest = 0; rest < 200; rest += 1) {
      if (!(await workOff(deps, new AbortController().signal)) && (await view('administrator', made)).state === 'DONE') return;
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  expect(await view('administrator', made)).toMatchObject({ state: 'DONE', counts: { create: 241, applied: 241, refused: 0 } });
  expect((await entries('Shared %')).length).toBe(241);
});

test('a worker that was cut off between the entry and its row has written neither', async () => {
  const made = await check('administrator', csv('name,description,owners,platform', `Cut off,${description},olga,${platform}`));
  await world.sql(
    `create function cut() returns trigger language plpgsql as $$ begin if new.is_applied then raise exception 'cut' using errcode = '57P01'; end if; return new; end $$`,
  );
  await world.sql('create trigger cut before update on catalog_import_row for each row execute function cut()');
  await world.good('administrator', catalogImportStart, { params: { importId: made.id } });
  await workAll(importDeps(world)).catch(() => undefined);
  expect(await entries('Cut off')).toEqual([]);
  await world.sql('drop trigger cut on catalog_import_row');
  await workAll(importDeps(world));
  expect(await entries('Cut off')).toMatchObject([{ status: 'ACTIVE' }]);
  expect(await view('administrator', made)).toMatchObject({ state: 'DONE', counts: { applied: 1 } });
});

test('a row that cannot be written stops no other, and an importer who left imports nothing more', async () => {
  await world.sql(
    `create function broken() returns trigger language plpgsql as $$ begin if new.name = 'Broken' then raise exception 'broken'; end if; return new; end $$`,
  );
  await world.sql('create trigger broken before insert on catalog_entry for each row execute function broken()');
  const made = await check(
    'administrator',
    csv('name,description,owners,platform', ...['Broken', 'Sound'].map((name) => `${name},${description},olga,${platform}`)),
  );
  expect(await start('administrator', made)).toMatchObject({ state: 'DONE', counts: { create: 1, refused: 1 } });
  expect(said(await rows('administrator', made))).toEqual(['2 REFUSED ImportRowFailed', '3 CREATE application Sound']);
  await world.sql('drop trigger broken on catalog_entry');
  const left = await check('member', csv('name,description,owners,platform', `Late,${description},olga,${platform}`));
  await world.good('member', catalogImportStart, { params: { importId: left.id } });
  await world.sql(`update identity set left_at = now() where id = (select identity_id from catalog_import where id = $1)`, [left.id]);
  await workAll(importDeps(world));
  expect(await world.sql(`select state, failure from catalog_import where id = $1`, [left.id])).toEqual([
    { state: 'CANCELED', failure: 'OwnerNotInDirectory' },
  ]);
  expect(await entries('Late')).toEqual([]);
  await world.sql(`update identity set left_at = null where id = (select identity_id from catalog_import where id = $1)`, [left.id]);
});

test('a canceled import keeps its result', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `Halted ${at},${description},olga,${platform}`);
  const made = await check('administrator', csv('name,description,owners,platform', ...lines));
  const params = { importId: made.id };
  await world.good('administrator', catalogImportStart, { params });
  await workOff(importDeps(world), new AbortController().signal);
  await world.call('administrator', catalogImportDelete, { params });
  await workAll(importDeps(world));
  expect(await view('administrator', made)).toMatchObject({ state: 'CANCELED', counts: { applied: 50, create: 60 } });
});

test('files that are no imports are refused and leave nothing', async () => {
  expect(await refused('owner', '')).toBe('400 ImportUnreadable The file cannot be read: it is empty');
  expect(await refused('owner', 'name,description\r\n')).toContain('it has a header and no rows');
  expect(await refused('owner', new Uint8Array([0x50, 0x4b, 3, 4]))).toContain('Save the sheet as CSV');
  expect(await refused('owner', 'name\r\n"open')).toContain('ImportUnreadable');
  expect(await refused('owner', '{}', 'application/json')).toContain('send text/csv or application/yaml');
  expect(await refused('owner', `name\r\n"${'x'.repeat(300_000)}"`)).toContain('ImportUnreadable');
  expect(await refused('owner', `${'a,'.repeat(300)}\r\n1`)).toContain('ImportTooLarge');
  expect(await refused('owner', `name\r\n${'x\r\n'.repeat(maxImportRows + 1)}`)).toBe(
    '400 ImportTooLarge An import may have at most 100,000 rows',
  );
  expect((await send('owner', 'x', 'text/plain')).status).toBe(400);
  const [{ n } = { n: -1 }] = await world.sql<{ n: number }>(
    `select count(*)::integer as n from catalog_import where identity_id = 'olga' and state = 'UPLOADING'`,
  );
  expect(n).toBe(0);
  const three = ['a', 'b', 'c'].map(() => csv('name', 'x'));
  for (const file of three) await check('member', file);
  expect(await refused('member', csv('name', 'x'))).toBe(
    '409 TooManyImports You have 3 imports that are not done. Start or delete one first.',
  );
  const many = Array.from({ length: 501 }, (_, at) => `Many ${at},${description},olga,${platform}`);
  const made = await check('stranger', csv('name,description,owners,platform', ...many));
  expect(await world.errors('stranger', catalogImportStart, { params: { importId: made.id } })).toEqual([400, 'undefined: ImportTooLarge']);
}, 300_000);
