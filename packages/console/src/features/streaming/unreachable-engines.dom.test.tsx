/** An unreachable cluster or registry: one notice and no error banner, nothing shown as healthy, and unknown data not shown as empty. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig, useSWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { swrConfig } from '#kit/api/query.ts';
import { ErrorBanner } from '#kit/error/ErrorBanner.tsx';
import { clearError } from '#kit/error/global-error.ts';
import { AwayNotice } from './BrokerNotice.tsx';
import { Component as SchemasList } from './lists/SchemasList.tsx';
import { Component as TopicsList } from './lists/TopicsList.tsx';
import MessagesTab from './messages/MessagesTab.tsx';
import { Component as NewSchemaPage } from './schema/NewSchemaPage.tsx';
import { useVerdict } from './schema/verdict/use-verdict.ts';
import { Component as NewStreamPage } from './stream-form/NewStreamPage.tsx';
import { schemaOf, topicOf } from './streaming.fixture.ts';
import { Component as NewTopicPage } from './topic-form/NewTopicPage.tsx';
import { Component as TopicPage } from './topic/TopicPage.tsx';
import type { EventsPlace } from './use-place.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const away = (status = 503, code = 'EngineUnavailable', engine = 'Kafka cluster') =>
  new ResponseError(status, { status, title: 'Service Unavailable', errors: [{ code, context: { engine } }] });
const ofCluster = ['topicStatusView', 'topicDriftView', 'topicMessageList'];
let failure: ResponseError | undefined;
let state: string;
let registry: { state: string; url: string | null };
/** The registry's verdict on a draft. */
let verdict: object;
let answers: Record<string, unknown>;
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }) => {
    if (id === 'schemaCompatibilityCheck' || id === 'schemaDraftCheck') return verdict;
    if (ofCluster.includes(id) && failure) throw failure;
    if (id === 'streamingInfoView') {
      const cluster = { kind: 'EMBEDDED', name: 'harbour-kafka', maxReplication: 1, bootstrapServers: 'localhost:1', state };
      // The first response is outdated. A query that needs the engine notices the failure earlier.
      if (failure) state = 'UNREACHABLE';
      return { environmentClass: 'development', cluster, registry: { ...registry } };
    }
    return answers[id] ?? { content: [], totalElements: 0 };
  }) as never,
}));

/** The real banner needs the platform's configuration. */
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
  registry = { state: 'REACHABLE', url: 'http://localhost:2' };
  answers = {
    applicationView: { id: 'berth', teamId: 'cranes', teamName: 'Cranes', can: { createService: true } },
    meView: { id: 'ingrid', teamRefs: ['cranes'], isAdministrator: false },
    topicView: topicOf(),
    schemaView: schemaOf(),
    topicUsageView: { users: [] },
    pipelineView: { status: { state: 'COMPLETED', steps: [] } },
    topicList: { content: [topicOf()], totalElements: 1, totalPages: 1 },
    schemaList: { content: [schemaOf()], totalElements: 1, totalPages: 1 },
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
  const page = (
    <SWRConfig value={{ ...swrConfig, provider: () => new Map() }}>
      <ErrorBanner />
      {element}
    </SWRConfig>
  );
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

const events = ['/app/:app/:env/events-processing', '/app/berth/development/events-processing'] as const;
const registryAway = (): void => {
  failure = undefined;
  registry.state = 'UNREACHABLE';
};
const notChecked = {
  state: 'NOT_CHECKED',
  reason: 'REGISTRY_UNAVAILABLE',
  level: 'BACKWARD',
  revisionId: 1,
  isSame: false,
  problems: [],
  issues: [],
  fields: null,
  affected: { topics: [], accounts: [] },
};

test('without the registry no schema is called ready, and no topic healthy: part of it lies there', async () => {
  registryAway();
  await open(<SchemasList />, ...events);
  await becomes(() => expect(text()).toContain('Not known now'));
  expect(text()).not.toContain('Ready');
  await act(async () => root.unmount());
  await open(<TopicsList />, ...events);
  await becomes(() => expect(text()).toContain('Not known now'));
  expect(text()).not.toMatch(/Healthy|Running well/);
});

test('messages that the registry alone can read are not said to lie behind the cluster', async () => {
  registryAway();
  failure = away(503, 'EngineUnavailable', 'schema registry');
  const place = { app: 'berth', env: 'development', topic: 'berthevents' } as const;
  await open(<MessagesTab place={place} topic={topicOf()} isMember team="Cranes" noRight="" />, '/', '/');
  await becomes(() => expect(text()).toContain('Without the schema registry nobody knows how to read them'));
  expect(text()).not.toContain('The cluster does not answer');
});

test('the forms say at their top that the registry is away, once', async () => {
  registryAway();
  verdict = notChecked;
  for (const Page of [NewSchemaPage, NewTopicPage, NewStreamPage]) {
    await open(<Page />, '/app/:app/:env/x', '/app/berth/development/x');
    await becomes(() => expect(text()).toContain('Changes of schemas and topics wait until it does.'));
    expect(text().match(/registry does not answer/g)).toHaveLength(1);
    const notice = document.querySelector('[role="status"], [aria-live]');
    const form = document.querySelector('form');
    expect(form && notice && notice.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    await act(async () => root.unmount());
  }
});

test('what is away is named: both engines, and a registry that was never set up', async () => {
  registryAway();
  state = 'UNREACHABLE';
  const place = { app: 'berth', env: 'development' } as const;
  await open(<AwayNotice place={place} />, '/', '/');
  await becomes(() => expect(text()).toContain('The Kafka cluster harbour-kafka and the schema registry do not answer.'));
  await act(async () => root.unmount());
  [state, registry.url] = ['REACHABLE', null];
  await open(<AwayNotice place={place} />, '/', '/');
  await becomes(() => expect(text()).toContain('No schema registry is set up for development.'));
});

function Judged({ place }: { place: EventsPlace }) {
  const { mutate } = useSWRConfig();
  const { answer } = useVerdict(place, 'berthevent', { content: '"int"', type: 'AVRO', compatibility: 'BACKWARD', uses: [] });
  return (
    <button type="button" onClick={() => void mutate(() => true)}>
      {answer?.verdict.reason ?? answer?.verdict.state}
    </button>
  );
}
test('a draft is judged anew once the registry is back, without a key pressed', async () => {
  registryAway();
  verdict = notChecked;
  const place = { app: 'berth', env: 'development' } as const;
  await open(<Judged place={place} />, '/', '/');
  await becomes(() => expect(text()).toContain('REGISTRY_UNAVAILABLE'));
  registry.state = 'REACHABLE';
  verdict = { ...notChecked, state: 'COMPATIBLE', reason: null };
  await act(async () => document.querySelector('button')?.click());
  await becomes(() => expect(text()).toContain('COMPATIBLE'));
});
