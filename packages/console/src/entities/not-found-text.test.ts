import { expect, test } from 'vitest';
import { notFoundText } from './not-found-text.ts';

const place = { app: 'berth', env: 'production', service: 'berth-api', revision: 'berth-api-3' };

test.each([
  ['team', { team: 'cranes' }],
  ['revision', place],
  ['service', { app: 'berth', env: 'production', service: 'berth-api' }],
  ['service', { app: 'berth', env: 'production', service: 'berth-api', pipeline: 'p1' }],
  ['env', { app: 'berth', env: 'production' }],
  ['app', { app: 'berth' }],
  ['general', {}],
])('the deepest parameter decides: %s', (kind, params) => {
  expect(notFoundText(params).kind).toBe(kind);
});

test('a database that is not there leads to those that are', () => {
  const { title, links } = notFoundText({ app: 'berth', env: 'production', database: 'plans' });
  expect(title).toBe('There is no database plans in production');
  expect(links[0]).toEqual({ label: 'All databases', href: '/app/berth/production/database' });
});

test('each kind has its own title and text, and a way on', () => {
  const texts = [{ team: 'x' }, place, { ...place, revision: undefined }, { app: 'a', env: 'staging' }, { app: 'a' }, {}].map(notFoundText);
  expect(new Set(texts.map(({ title }) => title)).size).toBe(texts.length);
  for (const { links } of texts) expect(links.length).toBeGreaterThan(0);
});

test('a streaming request that is not there is named, and leads to the list of requests', () => {
  const { title, links } = notFoundText({ app: 'berth', env: 'development', request: 'nope' });
  expect(title).toBe('There is no request nope');
  expect(links[0]).toEqual({ label: 'Requests of berth', href: '/app/berth/development/events-processing/requests' });
});

test.each(['topic', 'schema', 'account', 'service', 'revision'])('the text of a missing %s names its environment', (word) => {
  expect(notFoundText({ ...(word === 'revision' ? { service: 's' } : {}), app: 'berth', env: 'production', [word]: 'x' }).title).toMatch(
    / x in production$/,
  );
});
