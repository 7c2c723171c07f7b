/** Forms, masked values and the verdict: errors at fields, hidden values, and when the server is called. */
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Component as NewAccountPage } from './accounts/NewAccountPage.tsx';
import { MessageValue } from './messages/MessageValue.tsx';
import { useVerdict, type Verdict } from './schema/verdict/use-verdict.ts';
import { messageOf, topicOf } from './streaming.fixture.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { Component as NewStreamPage } from './stream-form/NewStreamPage.tsx';
import { Component as NewTopicPage } from './topic-form/NewTopicPage.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const sent = vi.fn<(id: string, input: unknown) => unknown>();
const application = { id: 'berth', teamId: 'cranes', teamName: 'Cranes', can: { createService: true } };
const answers: Record<string, unknown> = {
  applicationView: application,
  meView: { id: 'ingrid', teamRefs: ['cranes'], isAdministrator: false },
  streamingInfoView: {
    cluster: { kind: 'EMBEDDED', maxReplication: 1, bootstrapServers: 'localhost:1', state: 'REACHABLE' },
    registry: { state: 'REACHABLE' },
  },
  schemaList: { content: [{ id: 'sch_1', name: 'berthevent', type: 'AVRO', revisionId: 1 }], totalElements: 1 },
};
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: unknown) => {
    if (method === 'GET') return answers[id] ?? { content: [], totalElements: 0 };
    const answer = sent(id, input);
    if (answer instanceof Error) throw answer;
    return answer;
  }) as never,
}));

let root: Root;
beforeEach(() => sent.mockReset());
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode, path = '/app/:app/:env/x', at = '/app/berth/development/x'): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path, element: page }], { initialEntries: [at] })} />));
  await act(async () => {});
};
const field = (name: string): HTMLInputElement => document.querySelector(`input[name="${name}"]`) as HTMLInputElement;
const type = (name: string, text: string) =>
  act(async () => {
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(name), text);
    field(name).dispatchEvent(new Event('input', { bubbles: true }));
  });
const isThere = (name: string) =>
  vi.waitFor(async () => (await act(async () => {}), expect(field(name)).not.toBeNull()), { timeout: 20_000 });
const submit = () => act(async () => document.querySelector('form')?.requestSubmit());
const text = (): string => document.body.textContent ?? '';

test('what is missing of a topic is said in the words of the specification, and nothing is sent', async () => {
  await open(<NewTopicPage />);
  await isThere('name');
  await submit();
  expect(text()).toContain('Name is required');
  expect(text()).toContain('Description is required');
  expect(text()).toContain('Value schema is required');
  await type('name', 'Berth-1');
  expect(text()).toContain('Name can only contain lowercase letters');
  expect(sent).not.toHaveBeenCalled();
});

test('the name on the cluster stands before the name, and in what will be made', async () => {
  await open(<NewTopicPage />);
  await isThere('name');
  await type('name', 'berthdelays');
  expect(text()).toContain('berth.berthdelays-value');
  expect(text()).not.toContain('berth.berthdelays-key');
  await act(async () =>
    [...document.querySelectorAll('label')].find(({ textContent }) => textContent === 'Messages have a key schema')?.click(),
  );
  expect(text()).toContain('berth.berthdelays-key');
});

const label = (words: string) =>
  act(async () => [...document.querySelectorAll('label')].find(({ textContent }) => textContent === words)?.click());

/** Mocks the verdict on a first version. Any other request returns `answer`. */
const firstVersion = (answer?: unknown) =>
  sent.mockImplementation((id) =>
    id === 'schemaDraftCheck'
      ? { state: 'NOT_CHECKED', reason: 'FIRST_VERSION', problems: [], issues: [], fields: 1, isSame: false }
      : answer,
  );

test('one name is enough for a stream: schema, account and secret group follow it until they are called otherwise', async () => {
  firstVersion();
  await open(<NewStreamPage />);
  await isThere('topic.name');
  await type('topic.name', 'delays');
  expect([field('schema.name').value, field('account.name').value]).toEqual(['delays', 'delays']);
  await type('account.name', 'planner');
  await label('Into a secret groupfor servicesServices read it; nobody has to see it.');
  expect(field('account.secretGroup').value).toBe('berth-planner-kafka');
  await type('topic.name', 'tides');
  expect([field('schema.name').value, field('account.name').value]).toEqual(['tides', 'planner']);
  await type('account.name', 'writer');
  expect(field('account.secretGroup').value).toBe('berth-writer-kafka');
  expect(text()).toContain('4 resources');
});

test('what a stream has already is left out of what is sent, and an error stands at the field of its part', async () => {
  const errors = [{ field: 'schema.name', code: 'SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS' }];
  firstVersion(new ResponseError(409, { errors, traceId: 'x', status: 409, title: 'Conflict' }));
  await open(<NewStreamPage />);
  await isThere('topic.name');
  await submit();
  expect(text()).toContain('Topic name is required');
  expect(text()).toContain('Please provide a schema name');
  expect(text()).toContain('Please provide an account name');
  await type('topic.name', 'delays');
  await type('topic.description', 'A ship will be late');
  await label('None');
  await submit();
  const [, input] = sent.mock.calls.find(([id]) => id === 'streamCreate') ?? [];
  expect(input).toMatchObject({
    body: { schema: { name: 'delays', type: 'AVRO' }, topic: { name: 'delays', spec: { partitionNumber: 3 } } },
  });
  expect(JSON.stringify(input)).not.toMatch(/"account"|"valueSchema"/);
  expect(field('schema.name').getAttribute('aria-invalid')).toBe('true');
});

test('what is wrong with a topic of an account stands at its row, and goes with it', async () => {
  const topics = ['calls', 'lost'].map((name) => ({ ...topicOf(), id: `top_${name}`, name, topicName: `berth.${name}` }));
  answers['topicList'] = { content: topics, totalElements: 2 };
  await open(<NewAccountPage />, '/app/:app/:env/x', '/app/berth/development/x?topic=top_lost');
  await isThere('name');
  await type('name', 'planner');
  const missing = { field: 'produceTopics.0.resourceId', code: 'TopicDoesNotExist' };
  sent.mockReturnValue(new ResponseError(404, { status: 404, title: 'Not Found', errors: [missing] }));
  await submit();
  await vi.waitFor(async () => (await act(async () => {}), expect(text()).toContain('Topic does not exist')));
  const row = document.querySelector('ul[aria-label="Topics that it writes"] li');
  expect(row?.textContent).toContain('berth.lost');
  expect(row?.querySelector('[role="alert"]')?.textContent).toBe('Topic does not exist');
  await act(async () => document.querySelector<HTMLButtonElement>('button[aria-label="Remove lost"]')?.click());
  expect(text()).not.toContain('Topic does not exist');
});

test('a name that was refused is not called free beside the refusal', async () => {
  await open(<NewAccountPage />);
  await isThere('name');
  await type('name', 'planner');
  await vi.waitFor(async () => (await act(async () => {}), expect(text()).toContain('planner is free')), { timeout: 20_000 });
  const taken = { field: 'name', code: 'ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS' };
  sent.mockReturnValue(new ResponseError(409, { status: 409, title: 'Conflict', errors: [taken] }));
  await submit();
  await vi.waitFor(async () => (await act(async () => {}), expect(field('name').getAttribute('aria-invalid')).toBe('true')));
  expect(text()).not.toContain('planner is free');
});

test('what is wrong with an account is said in the words of the specification', async () => {
  await open(<NewAccountPage />);
  await isThere('name');
  await submit();
  expect(text()).toContain('Please provide an account name');
  await type('name', 'Planner');
  expect(text()).toContain('Account name can only contain lowercase letters');
});

test('a masked place shows its class and nothing of its value', async () => {
  const { value } = messageOf({ pilot: { name: 'Anna', phone: 'x' }, berth: 'C03' });
  const masked = [{ path: '/pilot/name', classification: 'CONFIDENTIAL' as const }];
  await open(<MessageValue part={{ ...value, masked }} />);
  expect(text()).not.toContain('Anna');
  expect(text()).toContain('"name": confidential');
  expect(text()).toContain('"berth": "C03"');
});

test('the verdict is asked for once typing rests, and what failed to be asked is no verdict', async () => {
  const seen: Verdict[] = [];
  const Draft = ({ content }: { content: string }) => {
    seen.push(
      useVerdict({ app: 'berth', env: 'development' }, 'berthevent', { content, type: 'AVRO', compatibility: 'BACKWARD', uses: [] }),
    );
    return null;
  };
  const last = () => seen.at(-1);
  const becomes = (expected: object) =>
    vi.waitFor(async () => (await act(async () => {}), expect(last()).toMatchObject(expected)), { timeout: 20_000 });
  sent.mockReturnValue({ state: 'COMPATIBLE' });
  await open(<Draft content="a" />);
  expect(last()).toMatchObject({ isChecking: true, answer: undefined });
  expect(sent).not.toHaveBeenCalled();
  await becomes({ isChecking: false, answer: { content: 'a', verdict: { state: 'COMPATIBLE' } } });
  expect(sent.mock.calls.map(([id]) => id)).toEqual(['schemaCompatibilityCheck']);
  await act(async () => root.unmount());
  sent.mockReturnValue(new Error('away'));
  await open(<Draft content="b" />);
  await becomes({ isChecking: false, answer: undefined, error: new Error('away') });
});
