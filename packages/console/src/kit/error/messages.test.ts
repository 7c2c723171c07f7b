import { expect, test } from 'vitest';
import { fieldMessage, messageFor, reasonOf } from './messages.ts';

test('an override comes first, then the catalogue, then the raw code', () => {
  expect(messageFor('Required', { label: 'Team' }, { Required: 'Choose a {label}' })).toBe('Choose a Team');
  expect(messageFor('Required', { label: 'Team' })).toBe('Team is required');
  expect(messageFor('NobodyKnows')).toBe('NobodyKnows');
});
test('the label of the form wins over the one of the server', () => {
  const error = { field: 'id', code: 'Required', context: { label: 'Id' } };
  expect(fieldMessage(error, 'App name')).toBe('App name is required');
  expect(fieldMessage(error, undefined)).toBe('Id is required');
});
test('a right that is true or unknown is no reason; a code reads as its text', () => {
  const can = { delete: 'NotAnOwner', update: true as const };
  expect(reasonOf(can, 'update')).toBeUndefined();
  expect(reasonOf(can, 'other')).toBeUndefined();
  expect(reasonOf(undefined, 'delete')).toBeUndefined();
  expect(reasonOf(can, 'delete', { team: 'Cranes' })).toBe('Only owners of the team Cranes can do this');
});
