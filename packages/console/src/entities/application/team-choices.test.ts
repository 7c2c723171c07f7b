/** Choices when an app moves to another team. */
import { expect, test } from 'vitest';
import { personalTeamLabel, teamChoices } from './team-choices.ts';

const team = (id: string, state: 'ACTIVE' | 'DELETING' = 'ACTIVE') => ({ id, displayName: `Team ${id}`, state });
const of = (change: Partial<Parameters<typeof teamChoices>[0]> = {}) =>
  teamChoices({
    teams: [team('cranes'), team('tugs'), team('pilots')],
    owned: ['cranes', 'tugs'],
    current: 'cranes',
    personal: undefined,
    ...change,
  });
const ids = (choices: ReturnType<typeof teamChoices>) => choices.map(({ id, isThere }) => `${id}${isThere ? '' : ' (new)'}`);

test('teams that one owns, without the one that has it and those that are going', () => {
  expect(ids(of())).toEqual(['tugs']);
  expect(ids(of({ teams: [team('cranes'), team('tugs', 'DELETING')] }))).toEqual([]);
});

test('the personal team comes first, and is offered before it is there', () => {
  expect(ids(of({ personal: 'ingrid-solheim' }))).toEqual(['ingrid-solheim (new)', 'tugs']);
  const there = of({ teams: [team('tugs'), team('ingrid-solheim')], owned: ['tugs', 'ingrid-solheim'], personal: 'ingrid-solheim' });
  expect(ids(there)).toEqual(['ingrid-solheim', 'tugs']);
  expect(there[0]?.label).toBe(personalTeamLabel);
});

test('it is not offered where it has the app, and where it is somebody else’s', () => {
  expect(ids(of({ current: 'ingrid-solheim', personal: 'ingrid-solheim' }))).toEqual(['cranes', 'tugs']);
  expect(ids(of({ personal: 'pilots' }))).toEqual(['tugs']);
});
