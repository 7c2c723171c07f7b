import { expect, test } from 'vitest';
import { directoryGroup, githubTeam } from './team-links.ts';

test.each([
  [
    { githubTeamName: 'harbor/cranes', githubTeamId: '42' },
    { name: 'harbor/cranes', href: 'https://github.com/orgs/harbor/teams/cranes' },
  ],
  [{ githubTeamName: 'Cranes', githubTeamId: '42' }, { name: 'Cranes' }],
  [{ githubTeamName: 'harbor/../cranes', githubTeamId: null }, { name: 'harbor/../cranes' }],
  [{ githubTeamName: null, githubTeamId: null }, undefined],
])('a GitHub team %j', (team, expected) => expect(githubTeam(team)).toEqual(expected));

const id = '0b9e7c52-1111-4222-8333-444455556666';
test('a directory group leads to its page by its object id', () => {
  expect(directoryGroup({ azureGroupName: 'Crane operators', azureGroupId: id })).toMatchObject({
    name: 'Crane operators',
    href: expect.stringContaining(`/groupId/${id}`),
  });
  expect(directoryGroup({ azureGroupName: 'Crane operators', azureGroupId: 'cranes' })).toEqual({ name: 'Crane operators' });
  expect(directoryGroup({ azureGroupName: null, azureGroupId: null })).toBeUndefined();
});
