/** Registry screens: rejected input stays on screen, the form is read-only while a change is applied, a secret is shown once. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { robotPresets, type RobotAccount } from '@slipway/contract/registry/robot-account.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { ConfirmHost } from '#kit/confirm/ConfirmHost.tsx';
import { Component as PolicyTab } from './policy/PolicyTab.tsx';
import { RegistryActionPlace } from './RegistryAction.tsx';
import { Component as RobotsTab } from './robots/RobotsTab.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const failure = vi.hoisted(() => vi.fn());
vi.mock(import('@slipway/ui/overlay/toast.ts'), async (original) => {
  const { toast } = await original();
  return { toast: { ...toast, success: vi.fn(), failure } };
});
vi.mock(import('#kit/api/runtime-config.ts'), () => ({ runtimeConfig: () => ({ supportUrl: '' }) as never }));

interface Asked {
  id: string;
  input: { params?: object; query?: object; body?: unknown };
}
type Answer = (asked: Asked) => unknown;
const server = vi.hoisted(() => ({ answer: ((): unknown => undefined) as Answer, writes: [] as Asked[] }));
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: Asked['input']) => {
    if (method !== 'GET') server.writes.push({ id, input });
    return server.answer({ id, input });
  }) as never,
}));

const registry: ContainerRegistry = {
  host: 'registry.example.test',
  project: 'berth',
  exists: true,
  state: 'ACTIVE',
  pipelineId: null,
  policy: {
    isPublic: false,
    preventVulnerableImages: true,
    severity: 'high',
    retention: { keepNewest: 10, keepDays: null, keepPattern: null },
    allowedCves: [],
  },
  draft: null,
  storage: { usedBytes: 2 ** 30, uploadingBytes: 0, quotaBytes: 2 ** 32 },
  repositoryCount: 1,
  repositories: [],
  lastPush: null,
  lastRetention: null,
  nextRetentionAt: null,
  usedBy: [{ environment: 'production', service: 'berth-api' }],
  robotAccounts: [],
  can: { update: true, delete: 'HarborProjectInUse', setQuota: 'NotAnAdministrator', manageRobotAccounts: true },
};
const robot: RobotAccount = {
  name: 'ci',
  username: 'robot$berth+ci',
  description: 'Build pipeline',
  permissions: [...robotPresets.push],
  managedBy: 'TEAM',
  state: 'ACTIVE',
  expiresOn: null,
  lastUsed: null,
  refusals: { count: 0, lastAt: null },
  secretAt: '2026-11-01T10:00:00.000Z',
  previousSecret: null,
  createdAt: '2026-11-01T10:00:00.000Z',
  createdBy: null,
  updatedAt: '2026-11-01T10:00:00.000Z',
  can: { update: true, rotate: true, activate: true, delete: true },
};
const pageOf = (content: unknown[]) => ({
  content,
  totalElements: content.length,
  totalPages: 1,
  isTotalAtLeast: false,
  number: 0,
  size: 100,
});
const counts = { critical: 2, high: 5, medium: 31, low: 56, unknown: 56, none: 56 };
const reads: Readonly<Record<string, unknown>> = {
  applicationView: { id: 'berth', teamId: 't', teamName: 'Cranes', can: {} },
  meView: { id: 'i', teamRefs: ['t'], isAdministrator: false },
  teamView: { id: 't', members: [] },
  scanOverviewView: { images: 61, outcomes: { NOT_SCANNED: 2 }, worst: counts, stopped: counts },
  retentionPreview: { tags: 7, sizeBytes: 2 ** 30, isAtLeast: false, content: [] },
  robotAccountList: pageOf([robot]),
  secretGroupList: pageOf([]),
};
const answering =
  (project: ContainerRegistry, writes: Answer = () => undefined): Answer =>
  (asked) => {
    if (asked.id === 'containerRegistryView') return project;
    return asked.id in reads ? reads[asked.id] : writes(asked);
  };

let root: Root;
beforeEach(() => {
  server.writes.length = 0;
  failure.mockClear();
});
afterEach(() => act(async () => root.unmount()));
const text = (): string => document.body.textContent ?? '';
/** Waits, because queries take several ticks. */
const shows = (words: RegExp | string) =>
  vi.waitFor(
    async () => {
      await act(async () => {});
      expect(text()).toMatch(words);
    },
    { timeout: 20_000 },
  );
const open = async (path: string, Tab: () => ReactNode, answer: Answer): Promise<void> => {
  server.answer = answer;
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <SWRConfig value={{ provider: () => new Map(), dedupingInterval: 0 }}>
      <RegistryActionPlace nav={null}>
        <Tab />
      </RegistryActionPlace>
      <ConfirmHost />
    </SWRConfig>
  );
  const address = `/app/berth/production/container-registry/${path}`;
  history.replaceState(null, '', address);
  const router = createMemoryRouter([{ path: '/app/:app/:env/container-registry/*', element }], { initialEntries: [address] });
  await act(async () => root.render(<RouterProvider router={router} />));
};
const button = (label: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('button')].find(
    (one) => one.textContent === label || one.getAttribute('aria-label') === label,
  );
const press = (label: string) => act(async () => button(label)?.click());
const control = (label: string): HTMLInputElement | undefined =>
  [...document.querySelectorAll('label')].find((one) => one.textContent?.includes(label))?.querySelector('input') ?? undefined;

test('a severity shows how many images it stops before it is saved, and the project in use cannot be deleted', async () => {
  await open('policy', PolicyTab, answering(registry));
  await shows('Of your 61 tagged images it stops');
  await shows(/Critical2High5Medium31/);
  expect(text()).toContain('2 images without a scan: stopped at every severity.');
  await shows(/Now it would delete 7 tags, 1 GB/);
  expect(button('Delete project')?.getAttribute('aria-disabled')).toBe('true');
  expect(text()).toContain('Project is in use and cannot be deleted');
});

test('while a change is applied every field is closed, with one reason on top', async () => {
  await open('policy', PolicyTab, answering({ ...registry, state: 'UPDATING' }));
  await shows('Your changes are being applied, so the fields are closed until then.');
  const fields = [...document.querySelectorAll('form input')];
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((field) => field.closest('fieldset[disabled]') === null)).toEqual([]);
  expect(button('Allow one')).toBeUndefined();
});

test('making it public warns; what the server refuses is said in the words of the specification, and what was typed stays', async () => {
  const refuse = (): never => {
    throw new ResponseError(503, { status: 503, title: 'Service Unavailable', errors: [{ code: 'EngineUnavailable' }] });
  };
  await open('policy', PolicyTab, answering(registry, refuse));
  await shows('Of your 61 tagged images');
  await act(async () => control('Public')?.click());
  await shows('Every image of berth can then be read by everyone');
  expect(text()).toContain('1 change');
  await press('Save policy');
  await vi.waitFor(() => expect(failure).toHaveBeenCalledWith('Failed to update Harbor project', expect.anything()));
  expect(server.writes[0]).toMatchObject({ id: 'containerRegistryUpdate', input: { body: { isPublic: true, severity: 'high' } } });
  expect(control('Public')?.checked).toBe(true);
  expect(text()).toContain('1 change');
  await press('Discard');
  expect(control('Public')?.checked).toBe(false);
});

test('what could not be applied comes back as changes that are not saved', async () => {
  const { allowedCves, ...rest } = registry.policy;
  const draft = { ...rest, allowedCves, isPublic: true, severity: 'low' as const };
  await open('policy', PolicyTab, answering({ ...registry, draft }));
  await shows('2 changes');
  expect(control('Public')?.checked).toBe(true);
  await press('Discard');
  expect(control('Public')?.checked).toBe(false);
  expect(text()).not.toContain('2 changes');
});

test('an allowed vulnerability needs a reason and an end that is not too far away', async () => {
  await open('policy?allow=CVE-2026-31780', PolicyTab, answering(registry));
  await shows('Allow a vulnerability');
  const dialog = () => document.querySelector('[role=dialog]')?.textContent ?? '';
  await press('Allow it');
  await vi.waitFor(() => expect(dialog()).toContain('Reason is required'));
  const type = (name: string, value: string) =>
    act(async () => {
      const input = document.querySelector(`input[name=${name}]`);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
      input?.dispatchEvent(new Event('input', { bubbles: true }));
    });
  await type('reason', 'Fixed base comes on Monday');
  await type('expiresAt', '2099-01-01');
  await vi.waitFor(() => expect(dialog()).toContain('at most 90 days away'));
  await type('expiresAt', new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10));
  await press('Allow it');
  await shows(/CVE-2026-31780Fixed base comes on Monday/);
  expect(text()).toContain('1 change');
  expect(server.writes).toEqual([]);
});

test('a rotated secret is shown once, with the end of the old one', async () => {
  const rotated = {
    name: 'ci',
    username: 'robot$berth+ci',
    secret: 'slr_example',
    host: 'registry.example.test',
    writtenTo: null,
    previousEndsAt: '2099-01-01T00:00:00.000Z',
  };
  await open(
    'robot-accounts',
    RobotsTab,
    answering(registry, ({ id }) => (id === 'robotAccountRotate' ? rotated : undefined)),
  );
  await shows('Build pipeline');
  await press('Rotate ci');
  await shows('The account keeps its name and permissions');
  await act(async () => document.querySelector('form')?.requestSubmit());
  await shows(/slr_example.*docker login registry.example.test -u 'robot\$berth\+ci'.*The old secret ends/);
  expect(server.writes[0]).toMatchObject({ id: 'robotAccountRotate', input: { params: { robot: 'ci' }, body: { overlapHours: 1 } } });
  await press('Done');
  await press('Close without copying');
  expect(text()).not.toContain('slr_example');
});

test('a new account needs a name and at least one permission', async () => {
  await open('robot-accounts', RobotsTab, answering(registry));
  await shows('Build pipeline');
  await press('New robot account');
  await shows('What is it for?');
  for (const box of document.querySelectorAll<HTMLInputElement>('[role=dialog] td input:checked')) await act(async () => box.click());
  await act(async () => document.querySelector('form')?.requestSubmit());
  await shows('Name is required');
  await shows('Permissions is required');
  expect(server.writes).toEqual([]);
});
