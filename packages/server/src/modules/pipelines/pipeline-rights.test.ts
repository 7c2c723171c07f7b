import { expect, test } from 'vitest';
import { canOf, interveneRule, logRule } from './pipeline-rights.ts';

const actor = (id: string, role?: 'member' | 'owner' | 'administrator') => ({
  id,
  isAdministrator: role === 'administrator',
  memberOf: new Set(role === 'member' || role === 'owner' ? ['cranes'] : []),
  ownerOf: new Set(role === 'owner' ? ['cranes'] : []),
});
const deploy = { team: 'cranes', createdBy: 'stig', rights: { role: 'member' as const } };
const deleteTeam = { team: 'cranes', createdBy: 'olga', rights: { role: 'owner' as const } };
const createTeam = { ...deleteTeam, rights: { role: 'owner' as const, isStartersToo: true } };
const ownerless = { ...deploy, team: null, createdBy: 'olga' };

test.each([
  ['a stranger, even the one who started it', actor('stig'), deploy, 'NotAMember'],
  ['a member', actor('mats', 'member'), deploy, true],
  ['an administrator', actor('ada', 'administrator'), deploy, true],
  ['a member, of what is for owners', actor('mats', 'member'), deleteTeam, 'NotAnOwner'],
  ['an owner, of what is for owners', actor('olga', 'owner'), deleteTeam, true],
  ['whoever asked for a team that is not there yet', actor('olga'), createTeam, true],
  ['anybody else for such a team', actor('stig'), createTeam, 'NotAnOwner'],
  ['anybody, of what no team owns', actor('olga', 'owner'), ownerless, 'NotAMember'],
  ['an administrator, of what no team owns', actor('ada', 'administrator'), ownerless, true],
])('%s may cancel and re-run: %#', (_, who, subject, expected) => {
  expect(interveneRule(who, subject)).toBe(expected);
});

test('logs are for members', () => {
  expect(logRule(actor('stig'), deploy)).toBe('NotAMember');
  expect(logRule(actor('mats', 'member'), deleteTeam)).toBe(true);
  expect(logRule(actor('olga'), createTeam)).toBe(true);
});

test('`can` says why not: first the person, then the state', () => {
  const running = { status: { state: 'RUNNING' as const, steps: [] } };
  expect(canOf(actor('stig'), deploy, running)).toEqual({ cancel: 'NotAMember', rerun: 'NotAMember', stopWaiting: 'NotAMember' });
  expect(canOf(actor('mats', 'member'), deploy, running)).toEqual({
    cancel: true,
    rerun: 'PipelineNotFailed',
    stopWaiting: 'PipelineStepNotWaiting',
  });
});
