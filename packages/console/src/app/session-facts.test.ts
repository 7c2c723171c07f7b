import { expect, test } from 'vitest';
import { accountIdIn, sessionPlace } from './session-facts.ts';

test.each([
  ['Europe/Stockholm', ['en-US', 'sv'], { region: 'Europe', country: 'Sweden', countryCode: 'SE' }],
  ['America/New_York', ['en-US'], { region: 'America', country: 'United States', countryCode: 'US' }],
  ['Europe/Stockholm', ['en-US'], { region: 'Europe' }],
  ['UTC', ['sv-SE'], {}],
])('%s with %j is %j', (timezone, languages, place) => {
  expect(sessionPlace(timezone, languages)).toEqual({ timezone, ...place });
});

test.each([
  [null, undefined],
  ['{}', undefined],
  ['{"profile":{"sub":"ingrid"}}', 'ingrid'],
  ['{"profile":{"sub":"pairwise","oid":"object","tid":"tenant"}}', 'object.tenant'],
])('the account of %s is %s', (stored, id) => {
  expect(accountIdIn(stored)).toBe(id);
});
