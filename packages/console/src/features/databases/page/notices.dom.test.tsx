/** Notices of a database, and snippets that contain no secret. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { snippetKinds, snippets } from '#features/databases/connect/snippets.ts';
import { databaseOf, place, withStatus } from '#features/databases/database.fixture.ts';
import { FullNotices } from '#features/databases/overview/FullNotices.tsx';
import { DatabaseNotices } from './DatabaseNotices.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
let run: Partial<PipelineRun> | undefined;
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) => (id === 'pipelineView' ? run : { content: [] })) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />));
  await act(async () => {});
  return document.getElementById('root')?.textContent ?? '';
};
const notices = (database = databaseOf()) => open(<DatabaseNotices place={place} database={database} team="Cranes" />);
const hrefs = () => [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));

test('nothing is said of one that is well', async () => expect(await notices()).toBe(''));

test('an inactive one says what it refuses and keeps, and can be activated', async () => {
  expect(await notices(databaseOf({ active: false }))).toMatch(/inactive.*refuses connections.*Data and backups are kept/);
  expect(document.querySelector('button')?.textContent).toContain('Activate');
});

test('figures of a server that does not answer are said to be stale, since when', async () => {
  const observedAt = new Date(Date.now() - 20 * 60_000).toISOString();
  expect(await notices(withStatus({ observedAt }))).toMatch(/Figures are stale since \d\d:\d\d/);
});

test('a missed backup is a warning, with the way to the backups', async () => {
  const { backups } = databaseOf();
  expect(await notices(databaseOf({ backups: { ...backups, warning: 'BackupMissed' } }))).toContain('more than 26 hours');
  expect(hrefs()).toContain('/app/berth/development/database/berthplans/backups');
});

test('a change that failed says why, and can be run again', async () => {
  run = {
    pipelineId: 'pl_1',
    pipelineType: 'UpdateDatabase',
    subject: { kind: 'database', names: { ...place }, name: 'berthplans', key: 'database:berth/development/berthplans' } as never,
    can: { rerun: true },
    facts: {},
    status: {
      state: 'FAILED',
      steps: [
        {
          code: 'ApplyDatabaseLimits',
          name: 'Apply limits',
          state: 'FAILED',
          message: { code: 'EngineUnavailable', context: { engine: 'database server', attempt: '3' } },
          startedAt: '1',
          endedAt: '2',
          usualMs: null,
          isPointOfNoReturn: false,
        },
      ],
    },
  };
  await notices(withStatus({ provisioning: 'FAILED' }));
  await vi.waitFor(
    async () => {
      await act(async () => {});
      expect(document.body.textContent).toMatch(/“?"?Apply limits"? failed.*Re-run from Apply limits/s);
    },
    { timeout: 20_000 },
  );
});

const full = (status: Parameters<typeof withStatus>[0]) =>
  open(<FullNotices place={place} database={withStatus(status)} figures={undefined} />);

test('nothing is said of what is full at 94 percent; from 95 on the next step is offered', async () => {
  expect(await full({ sizeBytes: 64 * 1024 ** 3 * 0.94 })).toBe('');
  await act(async () => root.unmount());
  expect(await full({ sizeBytes: 64 * 1024 ** 3 * 0.95 })).toContain('95 % of 64 GB is used');
  expect(hrefs()).toEqual(['/app/berth/development/database/berthplans/settings?storage=128']);
});

test('one that refuses writes says so, and nothing milder beside it', async () => {
  const text = await full({ sizeBytes: 65 * 1024 ** 3, isReadOnly: true });
  expect(text).toMatch(/Writes are refused.*65 GB of 64 GB.*begin read write.*Beyond 6.4 GB more/);
  expect(text).not.toContain('is used');
});

test('a closed database says why, how it opens again, and offers the next step', async () => {
  const text = await full({ sizeBytes: 71 * 1024 ** 3, isReadOnly: true, isClosed: true });
  expect(text).toMatch(/Connections are refused.*71 GB.*64 GB.*reserve of 6.4 GB.*opens by itself/);
  expect(text).not.toContain('Writes are refused');
  expect(hrefs()).toEqual(['/app/berth/development/database/berthplans/settings?storage=128']);
});

test('connections near their limit are said', async () => {
  expect(await full({ connections: 95 })).toContain('95 of 100 connections are open');
});

test('services that use up their share are said while the read-only login has connections left, and the other way round', async () => {
  const by = (services: number, reads: number) => ({
    reader: { secretGroup: 'berth-plans-read', user: 'reader_a', version: 1, maxConnections: 20 },
    status: {
      ...databaseOf().status,
      connections: services + reads,
      connectionsBy: [
        { application: 'board', count: services, isFormer: false },
        { application: 'metabase', count: reads, isFormer: false, isReader: true },
      ],
    },
  });
  const said = (services: number, reads: number) =>
    open(<FullNotices place={place} database={databaseOf(by(services, reads))} figures={undefined} />);
  const text = await said(78, 2);
  expect(text).toContain('78 of 80 connections of services are open');
  expect(text).not.toContain('read-only');
  await act(async () => root.unmount());
  const reading = await said(10, 20);
  expect(reading).toContain('20 of 20 connections of the read-only login are open');
  expect(reading).not.toContain('of services');
  await act(async () => root.unmount());
  expect(await said(75, 18)).toBe('');
});

test.each(snippetKinds)('lines for %s take everything from the secret group', (kind) => {
  const { code } = snippets[kind];
  expect(code).toMatch(/DB_(URL|HOST)/);
  expect(code).not.toMatch(/:\/\/\w+:\w|password\s*=\s*["']/i);
});
