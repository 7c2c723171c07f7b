/** The inbox in a browser's document: list and detail, decisions, keys, and what a changed or void request says. */
import { requestViews, type Request, type RequestOutcomes } from '@slipway/contract/request/request.ts';
import { act, useEffect } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig, useSWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { RequestInbox } from './RequestInbox.tsx';
import { dueText, groupsOf } from './request-labels.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

interface Sent {
  readonly id: string;
  readonly input: { readonly params?: { readonly request?: string }; readonly query?: { readonly view?: string }; readonly body?: unknown };
}
let sent: Sent[] = [];
let requests: Request[] = [];
/** Answers of writes, by route. */
let answers: Record<string, (input: Sent['input']) => unknown> = {};
const answerOf = ({ id, input }: Sent): unknown => {
  if (id === 'requestList') {
    const content = requests.filter(({ status }) => input.query?.view !== 'decide' || status === 'PENDING');
    return { content, totalElements: content.length, totalPages: 1, number: 0, size: 50, first: true, last: true, isTotalAtLeast: false };
  }
  if (id === 'requestCounts') return { decide: requests.length, late: 0, mine: 0 };
  if (id === 'requestView') return requests.find((request) => request.id === input.params?.request);
  if (id === 'meView') return { id: 'sofia', displayName: 'Sofía Marín', teamRefs: [] };
  return answers[id]?.(input);
};
vi.mock(import('#kit/api/call.ts'), async (original) => ({
  ...(await original()),
  call: (async ({ id }: { id: string }, input: Sent['input']) => {
    const one = { id, input };
    sent.push(one);
    return answerOf(one);
  }) as never,
}));

/** Each test has a cache of its own, which writes refresh instead of the global one. */
let refreshCache: () => Promise<unknown> = async () => {};
vi.mock(import('#entities/changes/index.ts'), () => ({ refresh: () => refreshCache() }));
function Cache() {
  const { mutate } = useSWRConfig();
  useEffect(() => {
    refreshCache = () => mutate((cached) => Array.isArray(cached) && String(cached[0]).startsWith('request'));
  }, [mutate]);
  return null;
}

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const requestOf = (number: number, more: Partial<Request> = {}): Request => ({
  id: `REQ-${number}`,
  kind: 'TOPIC_ACCESS',
  kindLabel: 'Topic access',
  subject: { kind: 'topicGrant', id: `tg_${number}`, path: '/app/berth' },
  title: `tariff reads berth.topic${number}`,
  environmentClass: 'production',
  status: 'PENDING',
  requestedBy: { id: 'mei', displayName: 'Mei-Ling Tan' },
  requestedAt: '2026-11-20T12:00:00.000Z',
  comment: 'The tide window went live',
  assignedTo: [],
  actionedBy: null,
  actionedAt: null,
  actionComment: null,
  differences: [
    { field: 'platform', label: 'Platform', before: 'Terminal Planning', after: 'Port Calls' },
    { field: 'owners', label: 'Owners', before: 'Ingrid', after: 'Ingrid' },
  ],
  revision: 1,
  isVoid: false,
  voidReason: null,
  dueOn: day(3),
  isLate: false,
  comments: [{ by: { id: 'rahul', displayName: 'Rahul Deshmukh' }, at: '2026-11-21T12:00:00.000Z', text: 'Fine for me' }],
  can: { decide: true, withdraw: 'NotTheRequester', update: 'NotTheRequester', assign: true, comment: true, raiseAgain: 'NotTheRequester' },
  ...more,
});

let root: Root;
let router: ReturnType<typeof createMemoryRouter>;
const open = async (at = '/requests'): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = (
    <SWRConfig value={{ provider: () => new Map() }}>
      <Cache />
      <RequestInbox />
    </SWRConfig>
  );
  router = createMemoryRouter([{ path: '*', element: page }], { initialEntries: [at] });
  await act(async () => root.render(<RouterProvider router={router} />));
};
beforeEach(() => {
  sent = [];
  answers = {};
  requests = [requestOf(1), requestOf(2)];
});
afterEach(() => act(async () => root.unmount()));

const text = (): string => document.body.textContent ?? '';
const says = (words: string) => vi.waitFor(async () => (await act(async () => {}), expect(text()).toContain(words)));
const button = (label: string): HTMLButtonElement | undefined =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label);
const press = (label: string) => act(async () => button(label)?.click());
const type = (words: string, selector = 'textarea') =>
  act(async () => {
    const field = document.querySelector(selector);
    const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, words);
    field?.dispatchEvent(new Event('input', { bubbles: true }));
  });
const key = (name: string) => act(async () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })));
const writes = (): Sent[] => sent.filter(({ id }) => !['requestList', 'requestCounts', 'requestView', 'meView'].includes(id));
const title = (): string => document.querySelector('#request-title')?.textContent ?? '';

test('shows the first request with its reason, differences and comments', async () => {
  await open();
  await says('Fine for me');
  expect(title()).toBe('tariff reads berth.topic1');
  const rows = [...document.querySelectorAll('table tbody tr')].map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(rows).toEqual([
    ['Platform', 'Terminal Planning', 'Port Calls'],
    ['Owners', 'Ingrid', 'the same'],
  ]);
  expect(text()).toContain('To decide 2');
});

test('approves the revision that was read, and opens the next request', async () => {
  answers['requestDecide'] = () => {
    const [first, ...others] = requests;
    requests = others;
    return { ...first, status: 'APPROVED' };
  };
  await open();
  await says('Fine for me');
  await type('Agreed');
  await press('Approve');
  await vi.waitFor(async () => (await act(async () => {}), expect(title()).toBe('tariff reads berth.topic2')));
  expect(writes()).toEqual([
    { id: 'requestDecide', input: { params: { request: 'REQ-1' }, body: { status: 'APPROVED', revision: 1, comment: 'Agreed' } } },
  ]);
});

test('a rejection without a reason moves the focus to the reason, and sends nothing', async () => {
  await open();
  await says('Fine for me');
  await type('No');
  await press('Reject');
  await says('A rejection needs a reason of at least 10 characters');
  expect(document.activeElement).toBe(document.querySelector('textarea'));
  expect(writes()).toEqual([]);
});

test('when somebody else was first, says so and keeps what was written', async () => {
  answers['requestDecide'] = () => {
    requests = requests.map((one) =>
      one.id === 'REQ-1'
        ? requestOf(1, {
            status: 'REJECTED',
            actionedBy: { id: 'pieter', displayName: 'Pieter Bakker' },
            actionedAt: new Date().toISOString(),
            can: { ...one.can, decide: 'RequestDecided' },
          })
        : one,
    );
    const errors = [{ code: 'RequestDecided', context: { name: 'Pieter Bakker', decision: 'rejected', minutes: '0' } }];
    throw new ResponseError(409, { status: 409, title: 'Conflict', traceId: 't', errors } as never);
  };
  await open('/requests?request=REQ-1');
  await says('Fine for me');
  await type('Agreed by the planners');
  await press('Approve');
  await says('Rejected by Pieter Bakker');
  expect(document.querySelector('textarea')?.value).toBe('Agreed by the planners');
  expect(button('Approve')).toBeUndefined();
});

test('a new revision holds the decision until it was read', async () => {
  await open();
  await says('Fine for me');
  requests = [requestOf(1, { revision: 2, comment: 'Without the product' }), requestOf(2)];
  answers['requestCommentCreate'] = () => requests[0];
  await type('Why?');
  await press('Only comment');
  await says('It has revision 2 now');
  await press('Approve');
  expect(writes().map(({ id }) => id)).toEqual(['requestCommentCreate']);
  await press('Read the new revision');
  answers['requestDecide'] = () => ({ ...requests[0], status: 'APPROVED' });
  await press('Approve');
  expect(writes().at(-1)?.input.body).toMatchObject({ revision: 2 });
});

test('the requester withdraws, and reads who decides', async () => {
  requests = [requestOf(1, { can: { decide: 'OwnRequest', withdraw: true, assign: 'NotADecider', comment: true } })];
  answers['requestWithdraw'] = () => ({ ...requests[0], status: 'WITHDRAWN' });
  await open('/requests?view=mine&request=REQ-1');
  await says('You asked for this yourself');
  expect(button('Approve')).toBeUndefined();
  await press('Withdraw');
  expect(writes()).toMatchObject([{ id: 'requestWithdraw', input: { params: { request: 'REQ-1' } } }]);
});

test('a void request says why, and is raised again', async () => {
  const can = { decide: 'RequestDecided', withdraw: 'RequestDecided', assign: 'NotADecider', comment: true, raiseAgain: true } as const;
  requests = [requestOf(1, { status: 'WITHDRAWN', isVoid: true, voidReason: 'The criticality changed meanwhile', can })];
  answers['requestRaiseAgain'] = () => {
    requests = [...requests, requestOf(3)];
    return requests[1];
  };
  await open('/requests?view=mine&request=REQ-1');
  await says('The criticality changed meanwhile.');
  expect(text()).toContain('Needs you');
  await press('Raise again');
  await vi.waitFor(async () => (await act(async () => {}), expect(title()).toBe('tariff reads berth.topic3')));
});

test('keys move, focus Approve and select; several are decided at once', async () => {
  answers['requestBulkDecide'] = (): RequestOutcomes => ({
    content: [
      { id: 'REQ-1', status: 'APPROVED', error: null },
      { id: 'REQ-2', status: 'PENDING', error: { code: 'OwnRequest', message: 'You asked for this yourself.' } },
    ],
  });
  await open();
  await says('Fine for me');
  await key('j');
  await vi.waitFor(async () => (await act(async () => {}), expect(title()).toBe('tariff reads berth.topic2')));
  await key('k');
  await vi.waitFor(async () => (await act(async () => {}), expect(title()).toBe('tariff reads berth.topic1')));
  await key('a');
  expect(document.activeElement?.textContent).toBe('Approve');
  await key('x');
  await key('j');
  await key('x');
  await says('2 requests selected');
  await press('Approve 2');
  expect(writes()).toMatchObject([
    {
      id: 'requestBulkDecide',
      input: {
        body: {
          status: 'APPROVED',
          requests: [
            { id: 'REQ-1', revision: 1 },
            { id: 'REQ-2', revision: 1 },
          ],
        },
      },
    },
  ]);
  await vi.waitFor(async () => (await act(async () => {}), expect(text()).not.toContain('selected')));
});

test('an empty view is no error, and each view has its words', async () => {
  requests = [];
  for (const view of requestViews) {
    await open(`/requests?view=${view}`);
    await vi.waitFor(async () => (await act(async () => {}), expect(document.querySelector('[data-kind=first-use]')).not.toBeNull()));
    expect(document.querySelector('[role=alert]')).toBeNull();
    if (view !== requestViews.at(-1)) await act(async () => root.unmount());
  }
});

test('due dates are words, and late requests come first', () => {
  const now = Date.parse('2026-11-24T22:00:00Z');
  const due = ['2026-11-22', '2026-11-23', '2026-11-24', '2026-11-27', '2026-12-02'];
  expect(due.map((date) => dueText(date, now))).toEqual(['2 days late', '1 day late', 'today', 'Fri', '2 Dec']);
  const groups = groupsOf([requestOf(1, { isLate: true }), requestOf(2), requestOf(3, { dueOn: day(12) })], 'decide');
  expect(groups.map(({ title: group, requests: own }) => [group, own.length])).toEqual([
    ['Late', 1],
    ['This week and next', 1],
    ['Later', 1],
  ]);
});
