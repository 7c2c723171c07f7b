import { expect, test } from 'vitest';
import { crumbsOf } from './crumbs.ts';

test('a path of one segment has none', () => {
  expect(crumbsOf('/my-apps', {})).toEqual([]);
  expect(crumbsOf('/', {})).toEqual([]);
});

test('every segment but the last links to the path up to it; a first segment app links home', () => {
  const params = { app: 'berth-planner', env: 'production', service: 'berth-planner-api', tab: 'pipelines' };
  expect(crumbsOf('/app/berth-planner/production/service/berth-planner-api/pipelines', params)).toEqual([
    { label: 'App', href: '/' },
    { label: 'berth-planner', href: '/app/berth-planner' },
    { label: 'Production', href: '/app/berth-planner/production' },
    { label: 'Service', href: '/app/berth-planner/production/service' },
    { label: 'berth-planner-api', href: '/app/berth-planner/production/service/berth-planner-api' },
    { label: 'Pipelines' },
  ]);
});

test('a parameter is shown as it is, other words lose their dashes', () => {
  expect(crumbsOf('/app/service/production/copy-service', { app: 'service' }).map((crumb) => crumb.label)).toEqual([
    'App',
    'service',
    'Production',
    'Copy Service',
  ]);
});

test('the page of a settings area is a word', () => {
  expect(crumbsOf('/platform/freeze-windows', { page: 'freeze-windows' }).at(-1)).toEqual({ label: 'Freeze Windows' });
});

test('segments are decoded for the text and stay encoded in the link', () => {
  expect(crumbsOf('/app/a/production/secret-group/db%20keys/copy', { secretGroup: 'db keys' }).slice(4)).toEqual([
    { label: 'db keys', href: '/app/a/production/secret-group/db%20keys' },
    { label: 'Copy' },
  ]);
  expect(crumbsOf('/team/50%', {}).at(-1)).toEqual({ label: '50%' });
});
