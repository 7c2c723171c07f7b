/** The view of non-members: read-only fields, and hidden data that is not shown as empty. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readerOf, schemaOf, topicOf } from './streaming.fixture.ts';
import { Component as NewSchemaPage } from './schema/NewSchemaPage.tsx';
import { Component as NewStreamPage } from './stream-form/NewStreamPage.tsx';
import { Component as TopicPage } from './topic/TopicPage.tsx';
import { Component as NewTopicPage } from './topic-form/NewTopicPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const asked = new Set<string>();
const can = { createService: 'NotAMember', update: 'NotAMember', setMacId: 'NotAMember' };
const refused = Object.fromEntries(Object.keys(topicOf().can).map((verb) => [verb, 'NotAMember']));
let readers: unknown[];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) => {
    asked.add(id);
    const answers: Readonly<Record<string, unknown>> = {
      applicationView: { id: 'berth', teamId: 'cranes', teamName: 'Cranes', macId: null, can },
      meView: { id: 'sofia', teamRefs: ['finance'], isAdministrator: false },
      streamingInfoView: {
        cluster: { kind: 'EMBEDDED', maxReplication: 1, bootstrapServers: 'localhost:1', state: 'REACHABLE' },
        registry: { state: 'REACHABLE' },
      },
      schemaView: schemaOf(),
      topicView: topicOf({ can: refused }),
      topicStatusView: { at: topicOf().createdAt, partitions: [], readers, sizeBytes: 0, messages: 0, replication: 1 },
      topicDriftView: { comparedAt: null, isStale: false, differences: [], same: [], foreign: [] },
      schemaDraftCheck: {
        state: 'NOT_CHECKED',
        reason: 'FIRST_VERSION',
        problems: [],
        issues: [],
        fields: 1,
        isSame: false,
        affected: { topics: [], accounts: [] },
      },
      pipelineView: { status: { state: 'COMPLETED', steps: [] } },
    };
    return answers[id] ?? { content: [], totalElements: 0 };
  }) as never,
}));

let root: Root;
beforeEach(() => {
  asked.clear();
  readers = [];
});
afterEach(() => act(async () => root.unmount()));
const base = '/app/:app/:env/events-processing';
const open = async (element: ReactNode, rest: string): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  const router = createMemoryRouter(
    [
      { path: `${base}/topics/:topic/:tab?`, element: page },
      { path: `${base}/:page`, element: page },
    ],
    { initialEntries: [`/app/berth/development/events-processing/${rest}`] },
  );
  await act(async () => root.render(<RouterProvider router={router} />));
};
const text = (): string => document.body.textContent ?? '';
const becomes = (check: () => void) => vi.waitFor(async () => (await act(async () => {}), check()), { timeout: 20_000 });

test.each([
  ['a topic', NewTopicPage, 'name', 'create-topic', 'Create topic'],
  ['a schema', NewSchemaPage, 'name', 'create-schema', 'Create schema'],
  ['a stream', NewStreamPage, 'topic.name', 'create-stream', 'Create stream'],
])('the fields of %s are read, and the form cannot be sent', async (_, Page, name, path, submit) => {
  await open(<Page />, path);
  await becomes(() => expect(document.querySelector(`input[name="${name}"]`)?.closest('fieldset[disabled]')).toBeTruthy());
  expect(text()).toContain('Only members of the team Cranes can do this');
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === submit);
  expect(button?.getAttribute('aria-disabled')).toBe('true');
  const controls = [...document.querySelectorAll('form :is(input, select, textarea)')];
  expect(controls.filter((control) => control.closest('fieldset[disabled]') === null)).toEqual([]);
  const change = document.querySelector('button[aria-label="Change team"]');
  expect(change?.getAttribute('aria-disabled')).toBe('true');
});

test('who may use a topic is not asked for, and not called nobody', async () => {
  readers = [readerOf()];
  await open(<TopicPage />, 'topics/berthevents');
  await becomes(() => expect(text()).toContain('Which accounts may write it is for members of its team'));
  await becomes(() => expect(text()).toContain('tracker'));
  expect(text()).not.toMatch(/No account may write it yet|Nobody reads this topic yet|0 write/);
  expect(asked).not.toContain('topicUsageView');
});

test('a topic that nobody reads now may still be granted to somebody', async () => {
  await open(<TopicPage />, 'topics/berthevents');
  await becomes(() => expect(text()).toContain('Nobody reads it now'));
  expect(text()).not.toContain('Delete topic');
});

test('the page of who may use it says whom to ask', async () => {
  await open(<TopicPage />, 'topics/berthevents/access');
  await becomes(() => expect(text()).toContain('Who may use a topic is for members of its team'));
  expect(text()).toContain('You are not in Cranes.');
  expect(asked).not.toContain('topicUsageView');
});
