/** Promotions and answers to requests: order of steps, failures, and required reasons. */
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { brokenBy } from '#features/streaming/requests/who-it-breaks.ts';
import { AnswerPanel } from '#features/streaming/requests/AnswerPanel.tsx';
import { readerOf } from '#features/streaming/streaming.fixture.ts';
import { Component as AccountPromotionPage } from './AccountPromotionPage.tsx';
import { Component as SchemaPromotionPage } from './SchemaPromotionPage.tsx';
import { Component as TopicPromotionPage } from './TopicPromotionPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent: string[] = [];
let answers: Record<string, unknown>;
let refusal: Error | undefined;
const runOfName = (name: string) => ({
  pipelineId: name,
  subject: { kind: 'topic', names: { app: 'berth', env: 'production', topic: name } },
});
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (
    { id, method }: { id: string; method: string },
    { params = {}, body }: { params?: Record<string, string>; body?: unknown },
  ) => {
    if (method === 'GET') return answers[id] ?? { content: [], totalElements: 0 };
    const name = params['schema'] ?? params['topic'] ?? params['account'] ?? params['grant'] ?? '';
    sent.push([id, name, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' '));
    if (refusal) throw refusal;
    return runOfName(name);
  }) as never,
}));

let root: Root;
let router: ReturnType<typeof createMemoryRouter>;
beforeEach(() => {
  sent.length = 0;
  refusal = undefined;
  answers = {
    applicationView: { id: 'berth', teamId: 'cranes', teamName: 'Cranes', can: {} },
    meView: { id: 'ingrid', teamRefs: ['cranes'], isAdministrator: false },
    pipelineView: { status: { state: 'COMPLETED', steps: [] } },
    streamingInfoView: { cluster: { state: 'REACHABLE' }, registry: { state: 'REACHABLE' } },
  };
});
afterEach(() => act(async () => root.unmount()));
const base = '/app/berth/development/events-processing';
/** `cache`: use the shared cache if a write triggers a reload. */
const open = async (element: ReactNode, kind: string, name: string, cache: 'own' | 'shared' = 'own'): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={cache === 'own' ? { provider: () => new Map() } : {}}>{element}</SWRConfig>;
  router = createMemoryRouter(
    [
      { path: `/app/:app/:env/events-processing/${kind}s/:${kind}/promotion`, element: page },
      { path: '*', element: null },
    ],
    { initialEntries: [`${base}/${kind}s/${name}/promotion`] },
  );
  await act(async () => root.render(<RouterProvider router={router} />));
};
const text = (): string => document.body.textContent ?? '';
const shows = (words: string) => vi.waitFor(async () => (await act(async () => {}), expect(text()).toContain(words)), { timeout: 20_000 });
const button = (label: string): HTMLButtonElement | undefined =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent?.startsWith(label));
const press = (label: string) => act(async () => button(label)?.click());
const ends = (work: () => void) => vi.waitFor(async () => (await act(async () => {}), work()), { timeout: 20_000 });

const difference = { field: 'spec.retentionHours', label: 'Retention in hours', before: '24', after: '48' };
const promoted = { mark: 'seen', isNew: true, differences: [{ ...difference, before: null }], missingSchemas: ['call'], olderSchemas: [] };

const toProduction = (): string | null =>
  [...document.querySelectorAll('nav[aria-label="Environment"] a')]
    .find(({ textContent }) => textContent === 'Production')
    ?.getAttribute('href') ?? null;
test('the environment bar leads to the list of production until the topic is there', async () => {
  answers['topicPromotionView'] = { ...promoted, missingSchemas: [] };
  await open(<TopicPromotionPage />, 'topic', 'calls');
  await shows('Not there yet');
  expect(toProduction()).toBe('/app/berth/production/events-processing/topics');
  await act(async () => root.unmount());
  answers['topicPromotionView'] = { ...promoted, isNew: false, missingSchemas: [] };
  await open(<TopicPromotionPage />, 'topic', 'calls');
  await shows('Differs');
  expect(toProduction()).toBe('/app/berth/production/events-processing/topics/calls');
});

test('the schema that production lacks goes first, then the topic, whose page there is opened', async () => {
  answers['topicPromotionView'] = promoted;
  await open(<TopicPromotionPage />, 'topic', 'calls');
  await shows('call is not in production');
  await press('Promote to production');
  await ends(() => expect(router.state.location.pathname).toBe('/app/berth/production/events-processing/topics/calls'));
  expect(sent).toEqual(['schemaPromote call {}', 'topicPromote calls {"mark":"seen"}']);
});

test('where the schema fails, the topic is not asked for', async () => {
  answers['topicPromotionView'] = promoted;
  answers['pipelineView'] = { status: { state: 'FAILED', steps: [] } };
  await open(<TopicPromotionPage />, 'topic', 'calls');
  await shows('call is not in production');
  await press('Promote to production');
  await ends(() => expect(button('Promote to production')).toBeDefined());
  expect(sent).toEqual(['schemaPromote call {}']);
  expect(router.state.location.pathname).toContain('/promotion');
});

test('what has changed meanwhile is said in its own words, and one looks at the changes again', async () => {
  answers['topicPromotionView'] = { ...promoted, missingSchemas: [] };
  refusal = new ResponseError(409, { status: 409, title: 'Conflict', errors: [{ code: 'NothingChanged' }] });
  await open(<TopicPromotionPage />, 'topic', 'calls', 'shared');
  await shows('What production gets');
  await press('Promote to production');
  await shows('Nothing would change');
  answers['topicPromotionView'] = { ...promoted, missingSchemas: [], isNew: false, differences: [] };
  await press('Look at the changes again');
  await shows('Production is the same');
  await ends(() => expect(text()).not.toContain('Nothing would change'));
  expect(document.activeElement?.id).toBe('promoted');
});

const verdict = {
  state: 'INCOMPATIBLE',
  reason: null,
  level: 'BACKWARD',
  revisionId: 4,
  isSame: false,
  problems: [],
  issues: [
    {
      code: 'X',
      path: '/fields/1',
      line: 5,
      title: 'tugs has no default',
      message: 'Readers stop.',
      subject: 'berth.call',
      revisionId: 4,
      fix: null,
    },
  ],
  fields: 2,
  affected: { topics: [], accounts: [] },
};
test('what would break production is named, and cannot be promoted', async () => {
  const content = { field: 'content', label: 'Content', before: '"string"', after: '"int"' };
  answers['schemaPromotionView'] = { isNew: false, differences: [content], verdict, missingSchemas: [] };
  await open(<SchemaPromotionPage />, 'schema', 'call');
  await shows('1 breaking change');
  expect(text()).toContain('Line 5. Readers stop.');
  expect(text()).toContain('It would break those who use it in production.');
  await press('Promote to production');
  expect(sent).toEqual([]);
});

test('what is the same cannot be promoted, and says so', async () => {
  answers['schemaPromotionView'] = {
    isNew: false,
    differences: [],
    verdict: { ...verdict, state: 'NOT_CHECKED', isSame: true, issues: [] },
    missingSchemas: [],
  };
  await open(<SchemaPromotionPage />, 'schema', 'call');
  await shows('Production is the same');
  await press('Promote to production');
  expect(sent).toEqual([]);
});

test('an account says whom it asks, and takes a password of its own into a secret group', async () => {
  const team = { id: 'customs', displayName: 'Customs' };
  answers['accountPromotionView'] = {
    isNew: true,
    secretGroup: null,
    differences: [{ field: 'consumeTopics', label: 'Topics that it reads', before: null, after: 'clearance.releases' }],
    topics: [{ name: 'releases', applicationCode: 'clearance', operation: 'READ', state: 'ASKED', team }],
  };
  await open(<AccountPromotionPage />, 'account', 'planner');
  await shows('Asks Customs');
  await press('Promote to production');
  await ends(() => expect(sent).toEqual(['accountPromote planner {"secretGroup":"berth-planner-kafka"}']));
});

test('an account whose topic is missing there is not sent', async () => {
  answers['accountPromotionView'] = {
    isNew: true,
    secretGroup: null,
    differences: [{ field: 'consumeTopics', label: 'Topics that it reads', before: null, after: 'berth.calls' }],
    topics: [{ name: 'calls', applicationCode: 'berth', operation: 'READ', state: 'MISSING', team: null }],
  };
  await open(<AccountPromotionPage />, 'account', 'planner');
  await shows('Promote first, or remove from the account: calls.');
  await press('Promote to production');
  expect(sent).toEqual([]);
});

const owner = { id: 'cranes', displayName: 'Cranes' };
const grant: TopicGrant = {
  id: 'tg_1',
  environmentClass: 'production',
  operation: 'READ',
  state: 'REQUESTED',
  basis: null,
  account: {
    resourceId: 'ka_1',
    name: 'moves',
    applicationCode: 'tracker',
    team: { id: 'yard', displayName: 'Yard' },
    user: 'tracker.moves',
  },
  topic: {
    resourceId: 'tp_1',
    name: 'calls',
    applicationCode: 'berth',
    team: owner,
    topicName: 'berth.calls',
    classification: 'INTERNAL',
    isSharable: true,
  },
  reason: 'Demurrage',
  requestedAt: '2026-11-20T12:00:00.000Z',
  requestedBy: { id: 'sofia', displayName: 'Sofía Marín' },
  decidedAt: null,
  decidedBy: null,
  decision: null,
  isBusy: false,
  can: { decide: true, revoke: 'TopicGrantNotApproved', withdraw: 'NotAMember' },
};
test('a request is declined with a reason, and not without one', async () => {
  await open(<AnswerPanel grant={grant} />, 'topic', 'calls');
  await press('Decline');
  expect(text()).toContain('Reason is required');
  expect(sent).toEqual([]);
  const area = document.querySelector('textarea') as HTMLTextAreaElement;
  await act(async () => {
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, 'Not for billing');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await press('Decline');
  await ends(() => expect(sent).toEqual(['topicGrantDecline tg_1 {"reason":"Not for billing"}']));
});

test('what a revocation stops is said by name, and nothing is claimed where it is not known', () => {
  const readers = [readerOf({ members: 2 }), readerOf({ group: 'tracker.other.main', account: 'other' })];
  expect(brokenBy(grant, readers)).toEqual(['The group tracker.moves.main with 2 clients stops']);
  expect(brokenBy(grant, [readerOf({ members: null })])).toEqual(['The group tracker.moves.main stops']);
  expect(brokenBy(grant, [])).toEqual(['No group of tracker.moves reads it now']);
  expect(brokenBy(grant, undefined)).toEqual(['Who reads it now is not known: the cluster does not answer']);
});
