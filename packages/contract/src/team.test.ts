/** Codes of personal teams: the specification's rule, including email addresses that contain more than names. */
import { expect, test } from 'vitest';
import { personalTeamId } from './team.ts';

test.each([
  ['ingrid.solheim@norrland.example', 'ingrid-solheim'],
  ['Mats.Oberg@norrland.example', 'mats-oberg'],
  ['mats.öberg+test@norrland.example', 'mats-bergtest'],
  ['maximiliana.konstantinopoulou.iii@norrland.example', 'maximiliana-konstantinopo'],
  ['abcdefghijklmnopqrstuvwx.yz@norrland.example', 'abcdefghijklmnopqrstuvwx'],
  ['.first..last.@norrland.example', 'first-last'],
])('%s is %s', (email, code) => expect(personalTeamId(email)).toBe(code));

test.each(['7@norrland.example', '', '42.0@norrland.example', 'new@norrland.example'])('%s has none', (email) =>
  expect(personalTeamId(email)).toBeUndefined(),
);
