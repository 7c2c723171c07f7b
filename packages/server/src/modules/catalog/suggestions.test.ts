/** Suggested links between apps and applications: likeness in both directions, only what is not linked, and who may link. */
import { expect, test } from 'vitest';
import { applicationMacIdSet } from '@slipway/contract/application.ts';
import { catalogAppSuggestionList, catalogEntrySuggestionList } from '@slipway/contract/catalog/suggestion.ts';
import { seedApp } from '#testing/fixtures.ts';
import { catalogWorld } from './catalog.fixture.ts';

const world = catalogWorld();

test('an app and an application with similar names are suggested to each other until they are linked', async () => {
  const { applicationId: appId } = await world.onboard('Berth planner');
  await world.onboard('Crane rota');
  const { db } = world.app().database;
  await seedApp(db, { id: 'berth-planer', state: 'ACTIVE' });
  await seedApp(db, { id: 'tide-tables', state: 'ACTIVE' });
  const entries = () => world.good<object[]>('stranger', catalogEntrySuggestionList, { params: { app: 'berth-planer' } });
  const apps = (actor: 'owner' | 'stranger') => world.good<object[]>(actor, catalogAppSuggestionList, { params: { appId } });
  expect(await entries()).toMatchObject([{ applicationId: appId, applicationName: 'Berth planner' }]);
  expect(await world.good('stranger', catalogEntrySuggestionList, { params: { app: 'tide-tables' } })).toEqual([]);
  expect(await apps('owner')).toMatchObject([{ app: 'berth-planer', canLink: true }]);
  expect(await apps('stranger')).toMatchObject([{ app: 'berth-planer', canLink: false }]);

  await world.good('owner', applicationMacIdSet, { params: { app: 'berth-planer' }, body: { macId: appId } });
  expect(await entries()).toEqual([]);
  expect(await apps('owner')).toEqual([]);
});

test('names without a word of three letters, and unknown apps and entries', async () => {
  const { applicationId: appId } = await world.onboard('A B');
  expect(await world.good('owner', catalogAppSuggestionList, { params: { appId } })).toEqual([]);
  expect(await world.errors('owner', catalogAppSuggestionList, { params: { appId: 'MAC-0' } })).toEqual([
    404,
    'undefined: EntryDoesNotExist',
  ]);
  expect(await world.errors('owner', catalogEntrySuggestionList, { params: { app: 'nowhere' } })).toEqual([
    404,
    'undefined: ApplicationDoesNotExists',
  ]);
});
