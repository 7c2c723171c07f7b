/** People who leave: no sign-in, no tokens, no ownership; the entries say so at once, and the owners who remain hear of it. */
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { catalogAttestationSet } from '@slipway/contract/catalog/application.ts';
import { catalogAuthorityView } from '@slipway/contract/catalog/directory.ts';
import { identityStandingSet } from '@slipway/contract/directory-standing.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import type { Standing } from '#ports/directory.ts';
import { catalogWorld } from './catalog.fixture.ts';
import { followDirectory } from './directory/leavers.ts';

const world = catalogWorld();
const log = pino({ level: 'silent' });
const setStanding = (identityId: string, active: boolean) =>
  world.call('administrator', identityStandingSet, { params: { identityId }, body: { active } });

test('a deactivated owner loses access and no longer verifies the entry, until reactivated', async () => {
  const both = await world.onboard('Gate log', {
    owners: ['olga', 'mats'],
    locallyManaged: true,
    criticalityId: 'important',
    classificationId: 'INTERNAL',
  });
  const alone = await world.onboard('Gate alone', {
    owners: ['mats'],
    locallyManaged: true,
    criticalityId: 'important',
    classificationId: 'INTERNAL',
  });
  for (const { applicationId: appId } of [both, alone]) await world.good('member', catalogAttestationSet, { params: { appId } });
  expect(await world.view(alone.applicationId)).toMatchObject({ verified: true, validApp: true });
  const token = await world.app().apiToken('member', ['read']);
  const ask = async () =>
    (await fetch(`${world.app().url}${pathOf(catalogAuthorityView)}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask()).toBe(200);

  expect(await setStanding('mats', false)).toMatchObject({ status: 200, body: { id: 'mats', active: false } });
  expect(await ask()).toBe(401);
  expect(await world.view(alone.applicationId)).toMatchObject({
    verified: false,
    validApp: false,
    owners: [{ id: 'mats', active: false }],
  });
  expect(await world.view(both.applicationId)).toMatchObject({ verified: true, validApp: true });
  expect((await world.view(both.applicationId)).scorecard).toContainEqual({ check: 'owners', holds: false });
  expect(
    await world.sql(`select identity_ids, context from notification_event where type = 'owner.left' and context ->> 'name' = 'Gate log'`),
  ).toEqual([{ identity_ids: ['olga'], context: { name: 'Gate log', person: expect.any(String) } }]);

  // A repeat changes nothing and announces nothing.
  await setStanding('mats', false);
  expect(await followDirectory(world.app().database.db, world.app().adapters.directory, log)).toBe(true);
  expect(await world.sql(`select 1 from notification_event where type = 'owner.left' and context ->> 'name' = 'Gate log'`)).toHaveLength(1);

  expect(await setStanding('mats', true)).toMatchObject({ body: { active: true } });
  expect(await ask()).toBe(200);
  expect(await world.view(alone.applicationId)).toMatchObject({ verified: true, validApp: true });
});

test('nobody deactivates himself, a service account or a stranger', async () => {
  const [own] = await world.sql<{ id: string }>(`select id from identity where is_administrator and type = 'USER' limit 1`);
  expect(
    await world.errors('administrator', identityStandingSet, { params: { identityId: own?.id ?? '' }, body: { active: false } }),
  ).toEqual([409, 'undefined: OwnStanding']);
  await world.sql(`insert into identity (id, display_name, type) values ('robot', 'Robot', 'SERVICE_ACCOUNT')`);
  for (const identityId of ['robot', 'nobody']) expect((await setStanding(identityId, false)).status).toBe(404);
});

test('a pass over the directory applies what it missed, and does not believe that nearly everybody left', async () => {
  const { db } = world.app().database;
  await world.sql(`insert into identity (id, display_name) select 'crowd-' || n, 'Crowd ' || n from generate_series(1, 300) n`);
  const left = async (): Promise<number> => (await world.sql(`select 1 from identity where left_at is not null`)).length;
  // A crash came between the directory and the platform's own note.
  await world.sql(`update identity set deactivated_at = now() where id in ('crowd-1', 'crowd-2')`);
  expect(await followDirectory(db, world.app().adapters.directory, log)).toBe(true);
  expect(await left()).toBe(2);
  const wrong = { ...world.app().adapters.directory, kind: 'embedded' as const, setActive: async () => true };
  const allLeft = {
    ...wrong,
    standings: async (people: readonly { id: string }[]) => new Map(people.map(({ id }): [string, Standing] => [id, 'left'])),
  };
  expect(await followDirectory(db, allLeft, log)).toBe(false);
  expect(await followDirectory(db, { ...wrong, standings: async () => new Map() }, log)).toBe(true);
  expect(await left()).toBe(2);
});
