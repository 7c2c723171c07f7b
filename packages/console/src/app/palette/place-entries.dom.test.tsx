import type { Application } from '@slipway/contract/application.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { expect, test } from 'vitest';
import { matchGroups } from './match.ts';
import { placeActions, settingsGroup } from './place-entries.tsx';
import { placeLinks } from './place-links.ts';
import type { Place } from './use-place.ts';

const member = { deploy: true, readLogs: true, update: true } as const;
const stranger = { deploy: 'NotAMember', readLogs: 'NotAMember', update: 'NotAMember' };
const place = (can: Service['can'], url: string | null = 'http://berth.localhost'): Place => ({
  app: 'berth',
  env: 'development',
  service: 'berth-api',
  application: { can: { createService: can === member ? true : 'NotAMember' } } as unknown as Application,
  serviceData: { can, status: { url }, spec: newServiceSpec('localhost/berth/berth-api') } as unknown as Service,
});
const here = '/app/berth/development/service/berth-api';
const hrefs = (of: Place) => Object.fromEntries(placeActions(of).map(({ label, href }) => [label, href]));

test('a member finds every action of the service in view', () => {
  expect(hrefs(place(member))).toEqual({
    'Run pipeline': `${here}?run=pipeline`,
    'Open URL': 'http://berth.localhost',
    'Call it': `${here}?open=call`,
    'Copy service': `${here}/copy-service`,
    'service.yaml': `${here}/service-yaml`,
    'Connect to a repository': `${here}?open=repository`,
    'New service in berth': '/app/berth/development/new-service',
    'New service in berth from a template': '/app/berth/development/new-service/quickstart',
    'New database in berth': '/app/berth/development/new-database',
    'New stream in berth': '/app/berth/development/events-processing/create-stream',
    'New topic in berth': '/app/berth/development/events-processing/create-topic',
  });
});

test('a database has keys of its own', () => {
  const { service: _service, serviceData: _data, ...app } = place(member);
  const links = placeLinks({ ...app, database: 'plans' });
  expect(links.map(({ letter }) => letter)).toEqual(['O', 'Q', 'B', 'C', 'S', 'A']);
  expect(links.find(({ letter }) => letter === 'B')?.href).toBe('/app/berth/development/database/plans/backups');
  expect(placeLinks(app).find(({ letter }) => letter === 'D')?.href).toBe('/app/berth/development/database');
});

test('who may do nothing is offered nothing but the address', () => {
  expect(Object.keys(hrefs(place(stranger)))).toEqual(['Open URL']);
  expect(settingsGroup(place(stranger)).entries).toEqual([]);
});

test('a service without an address cannot be called', () => {
  expect(Object.keys(hrefs(place(member, null)))).not.toContain('Call it');
});

test.each([
  ['autoscale', 'Resource management', 'resources'],
  ['red black', 'Rollout', 'rollout'],
  ['dotenv', 'Environment variables', 'environment'],
])('“%s” finds the section %s', (query, title, section) => {
  const [group] = matchGroups([settingsGroup(place(member))], query);
  expect(group?.items.map(({ label, href }) => [label, href])).toEqual([[title, `${here}/settings#${section}`]]);
});
