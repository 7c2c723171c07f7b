/** Onboarding finds similar entries; an entry's page shows what fails and what waits; a change is sent without what did not change. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { Component as EntryPage } from './entry/EntryPage.tsx';
import { Component as NewEntryPage } from './form/NewEntryPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const person = { id: 'ingrid', displayName: 'Ingrid Solheim', email: null, active: true };
const application = {
  applicationId: 'MAC-04417',
  applicationName: 'Berth Planner',
  description: 'Assigns arriving vessels to berths by length and draught.',
  owners: [person, { ...person, id: 'henrik', displayName: 'Henrik Aalto', active: false }],
  platform: { platformId: 'PLT-0042', platformName: 'Terminal Planning', platformType: 'OPERATIONS', portfolio: null },
  product: null,
  criticalityCategory: null,
  classification: null,
  mipLayer: null,
  strategicIntent: null,
  targetDecommissioningDate: null,
  decommissionedDate: null,
  productionDeployed: false,
  explorationApp: false,
  locallyManaged: false,
  validApp: false,
  verified: false,
  labels: [],
  app: null,
  seenRunningAt: null,
  attestedAt: null,
  attestedBy: null,
  overdue: false,
  scorecard: [
    { check: 'purpose', holds: true },
    { check: 'true', holds: false },
  ],
  status: 'ACTIVE',
  createdBy: person,
  createdDate: '2026-11-01T00:00:00Z',
  modifiedBy: person,
  modifiedDate: '2026-11-01T00:00:00Z',
  canEdit: true,
  can: { update: true, decommission: true, attest: true },
  version: 3,
  rejectedComments: null,
};
const request = {
  requestId: 'REQ-20418',
  reqType: 'PLATFORM_CHANGE',
  status: 'PENDING',
  requestedBy: person,
  requestedDate: '2026-11-20T00:00:00Z',
  assignedTo: [],
  dueDate: '2026-11-27',
};
const records = (content: unknown[]) => ({
  totalRecords: content.length,
  totalPages: 1,
  currentPage: 0,
  isTotalAtLeast: false,
  next: null,
  content,
});
const sent = vi.fn<(id: string, input: unknown) => void>();
const answers: Record<string, unknown> = {
  catalogApplicationView: application,
  catalogApplicationRequests: records([request]),
  catalogApplicationUpdate: { ...application, requests: [] },
  catalogSearch: records([]),
  catalogOptionsView: { strategicIntents: [], mipLayers: [], informationClassifications: [], criticalityCategories: [] },
  catalogFuzzySearch: {
    fullMatched: false,
    contents: [{ id: 'MAC-1', name: 'Berth Planner', score: 0.79, description: '', status: 'ACTIVE', platformName: 'Planning', app: null }],
  },
  meView: { ...person, teamRefs: [], isAdministrator: false },
};
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, input: unknown) => {
    sent(id, input);
    return answers[id];
  }) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (route: RouteObject, path: string): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  sent.mockClear();
  root = createRoot(document.getElementById('root') as HTMLElement);
  const router = createMemoryRouter([route], { initialEntries: [path] });
  await act(async () =>
    root.render(
      <SWRConfig value={{ provider: () => new Map() }}>
        <RouterProvider router={router} />
      </SWRConfig>,
    ),
  );
  await act(async () => {});
};
const text = (): string => document.body.textContent ?? '';
const button = (label: string) => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label);
const type = (name: string, value: string) =>
  act(async () => {
    const input = document.querySelector(`[name=${name}]`) as HTMLInputElement;
    const prototype = input instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(input, value);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

const entryRoute = { path: '/catalogue/:plural/:entry', Component: EntryPage };
test('an entry shows what waits, who left, and the failed checks first with their fix', async () => {
  await open(entryRoute, '/catalogue/applications/MAC-04417');
  expect(text()).toMatch(/A move to another platform waits for approval.*Nothing has changed yet/);
  expect(text()).toMatch(/Henrik Aalto.*left/);
  expect(text()).toMatch(/1 of 2.*Not confirmed within a year.*Still true.*The description says what it is for/);
});

test('an edit sends what a PUT requires and the changed field, with the version that was seen', async () => {
  await open(entryRoute, '/catalogue/applications/MAC-04417');
  await act(async () => button('Edit')?.click());
  await vi.waitFor(() => expect(document.querySelector('[name=description]')).not.toBeNull(), { timeout: 20_000 });
  await type('description', 'Assigns arriving vessels to berths by crane reach.');
  await act(async () => button('Save changes')?.click());
  await vi.waitFor(() => expect(sent.mock.calls.some(([id]) => id === 'catalogApplicationUpdate')).toBe(true));
  expect(sent.mock.calls.find(([id]) => id === 'catalogApplicationUpdate')?.[1]).toEqual({
    params: { appId: 'MAC-04417' },
    headers: { 'Mac-App-Id': 'MAC-04417', source: 'CONSOLE', 'If-Match': '"3"' },
    body: {
      applicationName: 'Berth Planner',
      description: 'Assigns arriving vessels to berths by crane reach.',
      owners: ['ingrid', 'henrik'],
      platformId: 'PLT-0042',
    },
  });
});

test('a name that is almost taken is sent only after “It is none of these”', async () => {
  await open({ path: '/catalogue/new', Component: NewEntryPage }, '/catalogue/new');
  await type('name', 'Berth planing');
  await vi.waitFor(async () => {
    await act(async () => {});
    expect(text()).toContain('79 % alike');
  });
  expect(button('Send for approval')?.getAttribute('aria-disabled')).toBe('true');
  await act(async () => [...document.querySelectorAll('label')].find(({ textContent }) => textContent === 'It is none of these')?.click());
  expect(button('Send for approval')?.getAttribute('aria-disabled')).not.toBe('true');
});
