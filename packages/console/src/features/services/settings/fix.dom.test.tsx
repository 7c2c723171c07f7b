/** A change that the URL proposes is filled in and reviewed at once, and only the user applies it. */
import { serviceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, expect, test, vi } from 'vitest';
import { withFix } from './fix.ts';
import { imagePrefix, settingsWith } from './settings.fixture.ts';
import { Component as SettingsTab } from './SettingsTab.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
vi.mock(import('#kit/api/runtime-config.ts'), () => ({
  runtimeConfig: () => ({ supportUrl: '', serviceUrl: 'http://{service}.localhost' }) as never,
}));

const settings = settingsWith({});
const sent = vi.hoisted(() => [] as { id: string; input: { query?: object; body?: { spec: { exposedPort: number } } } }[]);
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: object) => {
    // Everything else is still loading.
    if (method === 'GET') return id === serviceSettingsView.id ? view : new Promise(() => {});
    sent.push({ id, input });
    return { changes: [], steps: [] };
  }) as never,
}));
const view = {
  ...settings,
  settingsVersion: 1,
  secretGroups: [],
  imagePrefix,
  appliedBasePath: null,
  engine: { limits: 'enforced', spot: null, hasVaultProxy: false, isNetworkIsolated: true, insideHosts: [], warning: null },
  canEdit: true,
  pipelineId: null,
};

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (search: string): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  sent.length = 0;
  root = createRoot(document.getElementById('root') as HTMLElement);
  const path = '/app/:app/:env/service/:service/settings';
  const router = createMemoryRouter([{ path, element: <SettingsTab /> }], {
    initialEntries: [`/app/berth/development/service/berth-api/settings${search}`],
  });
  await act(async () => root.render(<RouterProvider router={router} />));
};

test('a proposed value is reviewed by a dry run', async () => {
  await open('?fix=spec.exposedPort:3000');
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.input).toMatchObject({ query: { dryRun: true }, body: { spec: { exposedPort: 3000 } } });
});

test('settings that are opened without a proposal review nothing', async () => {
  await open('');
  await expect.poll(() => document.body.textContent, { timeout: 5000 }).toContain('Exposed port');
  expect(sent).toEqual([]);
});

test('only known settings and whole numbers are taken from the URL', () => {
  const { spec } = settings;
  for (const text of ['', 'spec.exposedPort:x', 'spec.exposedPort:-1', 'spec.region:1', 'active:0', '__proto__:1'])
    expect(withFix(spec, text)).toBe(spec);
  expect(withFix(spec, 'spec.resources.memoryMegabytes:512').resources).toEqual({ ...spec.resources, memoryMegabytes: 512 });
});
