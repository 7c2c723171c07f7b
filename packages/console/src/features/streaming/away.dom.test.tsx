/** While the cluster does not answer: one notice of the page and no banner over it, nothing called healthy, and what is unread is not called empty. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { swrConfig } from '#kit/api/query.ts';
import { clearError } from '#kit/error/global-error.ts';
import { Component as TopicsList } from './lists/TopicsList.tsx';
import MessagesTab from './messages/MessagesTab.tsx';
import { schemaOf, topicOf } from './streaming.fixture.ts';
import { Component as TopicPage } from './topic/TopicPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const away = (status = 503, code = 'EngineUnavailable') =>
  new ResponseError(status, { status, title: 'Service Unavailable', errors: [{ code, context: { engine: 'Kafka cluster' } }] });
const ofCluster = ['topicStatusView', 'topicDriftView', 'topicMessageList'];
let failure = away();
let state: string;
let answers: Record<string, unknown>;
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) => {
    if (ofCluster.includes(id)) throw failure;
    if (id === 'streamingInfoView') {
      const cluster = { kind: 'EMBEDDED', name: 'harbour-kafka', maxReplication: 1, bootstrapServers: 'localhost:1', state };
      // The first answer is from before: who asks for what the cluster knows learns it sooner.
      state = 'UNREACHABLE';
      return { cluster, registry: { state: 'REACHABLE' } };
    }
    return answers[id] ?? { content: [], totalElements: 0 };
  }) as never,
}));

/** The banner itself needs to know how the platform was set up. */
vi.mock(import('#kit/error/ErrorBanner.tsx'), async () => {
  const { useGlobalError } = await import('#kit/error/global-error.ts');
  const { describeError } = await import('#kit/error/describe-error.ts');
  return {
    ErrorBanner: () => {
      const shown = useGlobalError();
      return <p>{shown ? describeError(shown.error).heading : ''}</p>;
    },
  };
});

let root: Root;
beforeEach(() => {
  failure = away();
  state = 'REACHABLE';
  answers = {
    applicationView: { id: 'berth', teamId: 'cranes', teamName: 'Cranes', can: { createService: true } },
    meView: { id: 'ingrid', teamRefs: ['cranes'], isAdministrator: false },
    topicView: topicOf(),
    schemaView: schemaOf(),
    topicUsageView: { users: [] },
    pipelineView: { status: { state: 'COMPLETED', steps: [] } },
    topicList: { content: [topicOf()], totalElements: 1, totalPages: 1 },
  };
});
afterEach(() =>
  act(async () => {
    clearError();
    root.unmount();
  }),
);
const open = async (element: ReactNode, path: string, at: string): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ ...swrConfig, provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path, element: page }], { initialEntries: [at] })} />));
};
const text = (): string => document.body.textContent ?? '';
const becomes = (check: () => void) => vi.waitFor(async () => (await act(async () => {}), check()), { timeout: 20_000 });

test('the page of a topic says it once, at once, and not by a banner', async () => {
  await open(
    <TopicPage />,
    '/app/:app/:env/events-processing/topics/:topic',
    '/app/berth/development/events-processing/topics/berthevents',
  );
  await becomes(() => expect(text()).toContain('The Kafka cluster harbour-kafka does not answer.'));
  await becomes(() => expect(text()).toContain('Not known now'));
  expect(text()).not.toContain('Healthy');
  expect(text()).not.toContain('503');
});

test('another failure of the server still has its banner', async () => {
  failure = away(500, 'InternalServerError');
  await open(
    <TopicPage />,
    '/app/:app/:env/events-processing/topics/:topic',
    '/app/berth/development/events-processing/topics/berthevents',
  );
  await becomes(() => expect(text()).toContain('500 - Service Unavailable'));
});

test('the list of topics calls nothing healthy, and nothing running well', async () => {
  state = 'UNREACHABLE';
  await open(<TopicsList />, '/app/:app/:env/events-processing', '/app/berth/development/events-processing');
  await becomes(() => expect(text()).toContain('Not known now'));
  expect(text()).not.toMatch(/Healthy|Running well/);
});

test('messages that could not be read are not called none', async () => {
  const place = { app: 'berth', env: 'development', topic: 'berthevents' } as const;
  const tab = <MessagesTab place={place} topic={topicOf()} isMember team="Cranes" noRight="" />;
  await open(tab, '/', '/');
  await becomes(() => expect(text()).toContain('The messages could not be read'));
  expect(text()).not.toMatch(/No messages|Nothing was written/);
});
