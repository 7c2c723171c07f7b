import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, matchRoutes, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { expect, test } from 'vitest';
import { inOneSpelling, OneSpelling } from './OneSpelling.tsx';
import { routes } from './routes.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const leaf = (path: string): RouteObject | undefined => matchRoutes(routes, path)?.at(-1)?.route;

/** Every URL of the specification that this release has, and our additional ones. */
const pages = [
  '/',
  '/my-apps',
  '/all-apps',
  '/team',
  '/my-teams',
  '/all-teams',
  '/team/cranes',
  '/app/berth',
  '/app/berth/production',
  '/app/berth/production/service',
  '/app/berth/production/activity-logs',
  '/app/berth/production/container-registry/repositories',
  '/app/berth/production/container-registry/repositories/berth-api',
  '/app/berth/production/container-registry/repositories/berth-api/1.4.0',
  '/app/berth/production/container-registry/repositories/berth%2Ftools/sha256:0b9e',
  '/app/berth/production/container-registry/robot-accounts',
  '/app/berth/production/container-registry/webhooks',
  '/app/berth/production/container-registry/webhooks/board',
  '/app/berth/production/container-registry/policy',
  '/app/berth/production/flags',
  '/app/berth/production/flags/flag/new-shell',
  '/app/berth/production/flags/client-keys',
  '/app/berth/production/flags/saved-groups',
  '/app/berth/production/new-service',
  '/app/berth/production/new-service/quickstart',
  '/app/berth/production/service/berth-api',
  '/app/berth/production/service/berth-api/copy-service',
  '/app/berth/promote',
  '/app/berth/production/secret-group/keys/copy',
  '/app/berth/production/service/berth-api/settings',
  '/app/berth/production/service/berth-api/service-yaml',
  '/app/berth/production/service/berth-api/pipelines',
  '/app/berth/production/service/berth-api/revisions',
  '/app/berth/production/service/berth-api/revision/berth-api-3',
  '/app/berth/production/service/berth-api/pipeline/p1',
  '/app/berth/production/secret-group/db/copy',
  '/new-app',
  '/new-app/quickstart',
  '/new-app/blank',
  '/new-app/catalogue',
  '/catalogue/imports',
  '/catalogue/imports/cim_1',
  '/new-team',
  '/me',
  '/me/tokens',
  '/notifications',
  '/notifications/outbox',
  '/team/cranes/notifications',
  '/pipelines',
];

test.each(pages)('%s opens a page of its own', async (path) => {
  const load = leaf(path)?.lazy;
  if (typeof load !== 'function') throw new Error('The page is not lazy');
  expect(await load()).toHaveProperty('Component', expect.any(Function));
});

test.each([
  '/app',
  '/app/berth/production/container-registry',
  '/app/berth/production/service/berth-api/revision',
  '/app/berth/production/service/berth-api/pipeline',
  '/app/berth/production/events-processing/streams',
])('%s leads on to the list it belongs to', (path) => {
  expect(leaf(path)?.loader).toBeDefined();
});

test.each(['/nothing', '/app/berth/production/service/berth-api/revision/r/x/y', '/teams/x', '/app/berth/production/container-registry/x'])(
  '%s is not found',
  (path) => {
    expect(leaf(path)?.path).toBe('*');
  },
);

test.each([
  ['/app/berth/dev/events-processing/accounts', '/app/berth/development/events-processing/accounts'],
  ['/app/berth/prod/container-registry/webhooks/board', '/app/berth/production/container-registry/webhooks/board'],
  ['/app/dev/dev/topics', '/app/dev/development/topics'],
  ['/app/berth/settings', '/app/berth/settings'],
  ['/app/dev', '/app/dev'],
  ['/app/berth/staging/database', '/app/berth/staging/database'],
])('%s is kept as %s', (asked, kept) => {
  expect(inOneSpelling(asked)).toBe(kept);
});

test('another spelling keeps tab, query and anchor', async () => {
  document.body.innerHTML = '<div id="root"></div>';
  const router = createMemoryRouter([{ Component: OneSpelling, children: [{ path: '*', element: null }] }], {
    initialEntries: ['/app/berth/dev/container-registry/webhooks?x=1#y'],
  });
  const root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () => root.render(<RouterProvider router={router} />));
  const { pathname, search, hash } = router.state.location;
  expect(pathname + search + hash).toBe('/app/berth/development/container-registry/webhooks?x=1#y');
  await act(async () => root.unmount());
});
