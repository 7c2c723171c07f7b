/** Who gets a notice about an entry: approvers, owners, and the team of its app; and each reminder once. */
import { beforeEach, expect, test } from 'vitest';
import { catalogApplicationDecommission, catalogIssueCreate } from '@slipway/contract/catalog/application.ts';
import { catalogWorld, because, raisedBy } from './catalog.fixture.ts';
import { remindOwners } from './facts/entry-notices.ts';

const world = catalogWorld();
interface Event {
  readonly id: string;
  readonly type: string;
  readonly identity_ids: string[];
  readonly context: Record<string, string>;
  readonly path: string;
}
const events = (type: string) =>
  world.sql<Event>(`select id, type, identity_ids, context, path from notification_event where type = $1 order by at`, [type]);
beforeEach(() => world.sql('delete from notification_event'));

test('an onboarding goes to the approvers, and the decision to the requester', async () => {
  await world.onboard('Quay Survey');
  expect(await events('request.raised')).toMatchObject([{ identity_ids: ['ada'] }]);
  expect(await events('request.decided')).toMatchObject([{ identity_ids: expect.arrayContaining(['mats']) as unknown }]);
});

test('a data issue goes to the owners, too', async () => {
  const { applicationId: appId } = await world.onboard('Tide Tables');
  await world.sql('delete from notification_event');
  await world.good('stranger', catalogIssueCreate, { params: { appId }, body: { comments: because } });
  const [raised] = await events('request.raised');
  expect(raised?.identity_ids.toSorted()).toEqual(['ada', 'olga']);
});

test('a new owner and the remaining ones get a notice of a change of owners', async () => {
  const entry = await world.onboard('Crane Log');
  expect((await world.update('owner', entry, { owners: ['olga', 'mats'] })).status).toBe(200);
  expect(await events('owner.added')).toMatchObject([
    { identity_ids: ['mats'], context: { name: 'Crane Log' }, path: `/catalogue/applications/${entry.applicationId}` },
  ]);
  const asked = await world.update('owner', await world.view(entry.applicationId), { owners: ['mats'] });
  expect((await world.decide('administrator', raisedBy(asked), 'APPROVED')).status).toBe(200);
  expect(await events('owner.removed')).toMatchObject([{ identity_ids: ['mats'], context: { name: 'Crane Log' } }]);
});

test('a decommissioning goes to the owners', async () => {
  const entry = await world.onboard('Old Pager');
  const appId = entry.applicationId;
  const body = { reason: because, criticalityId: null, status: 'ACTIVE', labels: [] };
  const asked = await world.call('owner', catalogApplicationDecommission, { params: { appId }, headers: { 'Mac-App-Id': appId }, body });
  expect((await world.decide('administrator', raisedBy(asked), 'APPROVED')).status).toBe(200);
  expect(await events('entry.decommissioned')).toMatchObject([{ identity_ids: ['olga'], context: { name: 'Old Pager' } }]);
});

test('each reminder is announced once for its stage', async () => {
  const { applicationId: id } = await world.onboard('Yard Map');
  await world.sql(
    `update catalog_entry set attested_at = now() - interval '340 days', seen_running_at = now() - interval '31 days',
      target_date = current_date + 5 where id = $1`,
    [id],
  );
  const { db } = world.app().database;
  await remindOwners(db);
  await remindOwners(db);
  const about = async (type: string) => (await events(type)).filter((event) => event.path.endsWith(id));
  for (const type of ['entry.attest', 'entry.unverified', 'entry.overdue'])
    expect(await about(type)).toMatchObject([{ identity_ids: ['olga'], context: { name: 'Yard Map' } }]);
  // Thirty days later it is the next stage.
  await world.sql(`update catalog_entry set attested_at = attested_at - interval '30 days', target_date = current_date - 1 where id = $1`, [
    id,
  ]);
  await remindOwners(db);
  expect(await about('entry.attest')).toHaveLength(2);
  expect(await about('entry.overdue')).toHaveLength(2);
});
