import { expect, test } from 'vitest';
import { sessionPlace } from './session-place.ts';

test.each([
  ['Europe/Stockholm', { timezone: 'Europe/Stockholm', region: 'Europe', country: 'Sweden', countryCode: 'SE' }],
  ['America/New_York', { timezone: 'America/New_York', region: 'America', country: 'United States', countryCode: 'US' }],
  ['UTC', { timezone: 'UTC' }],
])('%s is %j', (timeZone, place) => {
  expect(sessionPlace(timeZone)).toEqual(place);
});
