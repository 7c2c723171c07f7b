/** The fields that a team sees before granting read access: classifications, and a warning for fields stricter than the topic. */
import type { TopicField } from '@slipway/contract/streaming/message.ts';
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { ReadFields } from './ReadFields.tsx';
import { RequestChecks } from './RequestChecks.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const field = (path: string, classification: TopicField['classification'], isMasked: boolean): TopicField => ({
  path,
  type: 'string',
  classification,
  isMasked,
});
const value = [field('berth', 'INTERNAL', false), field('pilot.name', 'CONFIDENTIAL', true)];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) =>
    id === 'topicFieldsView' ? { key: [], value, isPartial: false } : { content: [], users: [], totalElements: 0 }) as never,
}));

let root: Root;
afterEach(() => act(async () => root.unmount()));
const team = { id: 'cranes', displayName: 'Cranes' };
const grantOf = (operation: TopicGrant['operation']): TopicGrant => ({
  id: 'tg_1',
  environmentClass: 'production',
  operation,
  state: 'REQUESTED',
  basis: null,
  account: { resourceId: 'ka_1', name: 'billing', applicationCode: 'tariff', team, user: 'tariff.billing' },
  topic: {
    resourceId: 'top_1',
    name: 'berthevents',
    applicationCode: 'berth',
    team,
    topicName: 'berth.berthevents',
    classification: 'INTERNAL',
    isSharable: true,
  },
  reason: null,
  requestedAt: '2026-11-20T12:00:00.000Z',
  requestedBy: { id: 'sofia', displayName: 'Sofía Marín' },
  decidedAt: null,
  decidedBy: null,
  decision: null,
  isBusy: false,
  can: { decide: true },
});
const open = async (grant: TopicGrant): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = (
    <SWRConfig value={{ provider: () => new Map() }}>
      <ReadFields grant={grant} />
      <RequestChecks grant={grant} />
    </SWRConfig>
  );
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />));
};
const text = (): string => document.body.textContent ?? '';

test('masked fields stand first, and are warned of', async () => {
  await open(grantOf('READ'));
  await vi.waitFor(async () => (await act(async () => {}), expect(text()).toContain('1 field confidential or restricted')));
  const rows = [...document.querySelectorAll('table[aria-label="What they will read"] tbody tr')].map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringMatching(/^pilot\.name.*Confidential.*Masked.*Readable/),
    expect.stringMatching(/^berth.*Internal.*Readable.*Readable/),
  ]);
});

test('who asks to write reads nothing', async () => {
  await open(grantOf('WRITE'));
  expect(text()).not.toContain('What they will read');
  expect(text()).not.toContain('confidential or restricted');
});
