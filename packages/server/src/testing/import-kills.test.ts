// @long: starts and kills programs
/** An import of the real program goes on after kill -9, on two replicas and while it is checked and applied. No row is lost or done twice. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { catalogImportCreate, catalogImportStart, catalogImportView, type CatalogImport } from '@slipway/contract/catalog/import.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import { Place } from './outliving.fixture.ts';
import { programToken, type Program } from './program.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });
const PRODUCTION = {
  SLIPWAY_MODE: 'production',
  SLIPWAY_ALLOW_FILE_KEYS: 'yes',
  SLIPWAY_ALLOW_HOST_RUNTIME: 'yes',
  SLIPWAY_LOCAL_USERS: 'password',
};
const ROWS = 800;
let place: Place;
let replicas: Program[] = [];
beforeAll(async () => {
  place = await Place.open();
  replicas = [await place.start(PRODUCTION), await place.start(PRODUCTION)];
});
afterAll(() => place?.close());

const some = (): Program => {
  const [first] = replicas;
  if (!first) throw new Error('No replica runs');
  return first;
};
const count = async (condition: string): Promise<number> => {
  const [row] = await place.rows<{ n: number }>(`select count(*)::integer as n from ${condition}`);
  return row?.n ?? 0;
};
const killOne = async (): Promise<void> => {
  const victim = some();
  await victim.end('SIGKILL');
  replicas = replicas.filter((one) => one !== victim);
  replicas.push(await place.start(PRODUCTION));
};

test('an import that is killed four times creates every entry once, and a repeat creates none', async () => {
  const description = 'Plans which vessel is moored where and for how long.';
  const head = 'kind,name,description,owners,platform,portfolio,type';
  const lines = Array.from({ length: ROWS }, (_, at) => `application,Killed ${at},${description},admin,Killed rails,,`);
  const file = [
    head,
    ...lines,
    `platform,Killed rails,${description},admin,,Killed lands,DATA`,
    `portfolio,Killed lands,${description},admin,,,BUSINESS`,
  ];
  const upload = async (): Promise<CatalogImport> => {
    const answer = await fetch(`http://127.0.0.1:${some().port}${pathOf(catalogImportCreate)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${programToken}`, 'content-type': 'text/csv' },
      body: file.join('\n'),
    });
    return (await answer.json()) as CatalogImport;
  };
  const view = ({ id }: CatalogImport) => some().call(catalogImportView, { params: { importId: id } }) as Promise<CatalogImport>;
  const until = async (made: CatalogImport, isReached: (now: CatalogImport) => boolean): Promise<CatalogImport> => {
    for (;;) {
      const now = await view(made);
      if (isReached(now)) return now;
      await delay(50);
    }
  };
  const made = await upload();
  await until(made, ({ counts }) => counts.checked > 150);
  await killOne();
  const checked = await until(made, ({ state }) => state === 'CHECKED');
  expect(checked.counts).toMatchObject({ create: ROWS + 2, refused: 0 });
  await some().call(catalogImportStart, { params: { importId: made.id } });
  for (const share of [0.1, 0.4, 0.7]) {
    await until(made, ({ counts }) => counts.applied > ROWS * share);
    await killOne();
  }
  const done = await until(made, ({ state }) => state === 'DONE');
  expect(done.counts).toMatchObject({ create: ROWS + 2, applied: ROWS + 2, refused: 0 });
  expect(await count(`catalog_entry where name like 'Killed %' and status = 'ACTIVE'`)).toBe(ROWS + 2);
  expect(await count(`activity where type = 'catalogApplicationCreate'`)).toBe(ROWS);
  expect(await count(`catalog_event where type = 'ONBOARDED'`)).toBe(ROWS + 2);

  const again = await upload();
  expect((await until(again, ({ state }) => state === 'CHECKED')).counts).toMatchObject({
    same: ROWS + 2,
    create: 0,
    change: 0,
    refused: 0,
  });
});
