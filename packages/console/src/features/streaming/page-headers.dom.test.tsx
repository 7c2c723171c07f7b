/** Page headers: number of requests for a topic, and how far production is behind a schema. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SchemaHeader } from './schema/SchemaHeader.tsx';
import { schemaOf, topicOf } from './streaming.fixture.ts';
import { Component as TopicPage } from './topic/TopicPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
let answers: Record<string, unknown>;
const asked = new Set<string>();
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) => {
    asked.add(id);
    return answers[id] ?? { content: [], totalElements: 0 };
  }) as never,
}));

let root: Root;
beforeEach(() => {
  asked.clear();
  answers = {
    applicationView: { id: 'berth', teamId: 'cranes', teamName: 'Cranes', can: {} },
    meView: { id: 'ingrid', teamRefs: ['cranes'], isAdministrator: false },
    topicView: topicOf(),
    topicStatusView: { at: topicOf().createdAt, partitions: [], readers: [], sizeBytes: 0, messages: 0, replication: 1 },
    topicDriftView: { comparedAt: null, isStale: false, differences: [], same: [], foreign: [] },
    topicUsageView: { users: [] },
    streamingInfoView: { cluster: { kind: 'EMBEDDED', maxReplication: 1, state: 'REACHABLE' }, registry: { state: 'REACHABLE' } },
    schemaView: schemaOf(),
    pipelineView: { status: { state: 'COMPLETED', steps: [] } },
  };
});
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode, path = '/', at = '/'): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path, element: page }], { initialEntries: [at] })} />));
};
const text = (): string => document.body.textContent ?? '';
const becomes = (check: () => void) => vi.waitFor(async () => (await act(async () => {}), check()), { timeout: 20_000 });

test('the tab of a topic counts who waits for an answer', async () => {
  answers['topicGrantList'] = { content: [], totalElements: 2 };
  await open(<TopicPage />, '/app/:app/:env/x/topics/:topic', '/app/berth/development/x/topics/berthevents');
  await becomes(() => expect(text()).toMatch(/Access\s*2 requests/));
});

test('a topic says how many of its fields are stricter than it is', async () => {
  const field = (path: string, isMasked: boolean) => ({
    path,
    type: 'string',
    classification: isMasked ? 'RESTRICTED' : 'INTERNAL',
    isMasked,
  });
  answers['topicFieldsView'] = { key: [], value: [field('berth', false), field('pilot.name', true)], isPartial: false };
  await open(<TopicPage />, '/app/:app/:env/x/topics/:topic', '/app/berth/development/x/topics/berthevents');
  await becomes(() => expect(text()).toContain('Internal, 1 field masked'));
});

const head = (env: 'development' | 'production') => (
  <SchemaHeader
    place={{ app: 'berth', env, schema: 'berthevent' }}
    schema={schemaOf({ environmentClass: env })}
    isMember={false}
    team="Cranes"
  />
);

test('a schema of development says which version production has', async () => {
  answers['schemaList'] = { content: [schemaOf({ name: 'berthevents', revisionId: 9 }), schemaOf({ revisionId: 7 })], totalElements: 2 };
  await open(head('development'));
  await becomes(() => expect(text()).toMatch(/In production\s*Version 7/));
  expect(document.querySelector('a[href="/app/berth/production/events-processing/schemas/berthevent"]')).not.toBeNull();
});

test('or that it is not there; in production nothing is asked', async () => {
  await open(head('development'));
  await becomes(() => expect(text()).toMatch(/In production\s*Not there/));
  await act(async () => root.unmount());
  asked.clear();
  await open(head('production'));
  expect(text()).not.toContain('In production');
  expect(asked).not.toContain('schemaList');
});
