import { applicationView } from '@slipway/contract/application.ts';
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { repositoryList } from '@slipway/contract/service/service-operations.ts';
import { teamView } from '@slipway/contract/team.ts';
import { expect, test } from 'vitest';
import { q } from '#kit/api/query.ts';
import { isConcerned } from './hints.ts';

const team = q(teamView, { params: { team: 'cranes' } });
const app = q(applicationView, { params: { app: 'berth' } });
const groups = q(secretGroupList, { params: { app: 'berth', env: 'development' } });
const repositories = q(repositoryList, { params: { app: 'berth' } });
const names = { team, app, groups, repositories };
const concerned = (hint: Parameters<typeof isConcerned>[1]) =>
  Object.entries(names).flatMap(([name, key]) => (isConcerned(key, hint) ? [name] : []));

test('a write asks again for what its hint names, and for nothing else', () => {
  expect(concerned({ kind: 'team', team: 'cranes' })).toEqual(['team', 'app']);
  expect(concerned({ kind: 'team', team: 'quays' })).toEqual(['app']);
  expect(concerned({ kind: 'secretGroup', app: 'berth' })).toEqual(['groups']);
  expect(concerned({ kind: 'secretGroup', app: 'crane' })).toEqual([]);
  expect(concerned({ kind: 'service', app: 'berth', env: 'development', service: 'berth-api' })).toEqual(['app', 'repositories']);
});
