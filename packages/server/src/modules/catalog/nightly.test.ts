/** The catalog's nightly run: a step that fails, a replica that dies, and requests whose entry is gone. */
import { expect, test } from 'vitest';
import { catalogRequestView } from '@slipway/contract/catalog/request.ts';
import { catalogWorld, raisedBy } from './catalog.fixture.ts';
import { runNight, voidStale } from './facts/nightly.ts';

const world = catalogWorld();
const { deps } = world;
const night = (day: string) => runNight(deps(), new Date(`${day}T02:00:00Z`));
const doneOn = async (day: string) =>
  (await world.sql<{ done: string[] }>('select done from catalog_night where day = $1', [day]))[0]?.done;
const expireLease = () => world.sql(`update catalog_night set started_at = now() - interval '16 minutes'`);
const others = ['facts', 'requests', 'decommissioning', 'reminders', 'words'];

test('a step that fails does not stop the others, and runs again after some minutes', async () => {
  await world.sql('alter table catalog_summary rename to summary_elsewhere');
  await expect(night('2031-01-02')).rejects.toThrow('catalog_summary');
  expect(await doneOn('2031-01-02')).toEqual(others);
  await world.sql('alter table summary_elsewhere rename to catalog_summary');
  expect(await night('2031-01-02')).toBe(false);
  await expireLease();
  expect(await night('2031-01-02')).toBe(true);
  expect(await doneOn('2031-01-02')).toEqual([...others, 'summaries']);
  await expireLease();
  expect(await night('2031-01-02')).toBe(false);
});

test('another replica continues the night of one that died', async () => {
  await world.sql(`insert into catalog_night (day, done) values ('2031-01-03', '{facts,requests}')`);
  expect(await night('2031-01-03')).toBe(false);
  await expireLease();
  expect(await night('2031-01-03')).toBe(true);
  expect(await doneOn('2031-01-03')).toEqual(['facts', 'requests', 'decommissioning', 'summaries', 'reminders', 'words']);
});

test('a request whose entry was withdrawn is void', async () => {
  const entry = await world.onboard('Withdrawn');
  const requestId = raisedBy(await world.update('owner', entry, { applicationName: 'Withdrawn Anew' }));
  await world.sql('delete from catalog_entry where id = $1', [entry.applicationId]);
  await voidStale(deps());
  expect(await world.good('owner', catalogRequestView, { params: { requestId } })).toMatchObject({
    void: true,
    voidReason: 'The entry was withdrawn',
  });
});
