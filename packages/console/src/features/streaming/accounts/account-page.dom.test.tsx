/** The page of an account: snippets, rules, and description. */
import type { Account, AccountTopic } from '@slipway/contract/streaming/account.ts';
import type { AccountRules } from '@slipway/contract/streaming/account-rights.ts';
import type { StreamingInfo } from '@slipway/contract/streaming/streaming.ts';
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { BrokerAddress } from '#features/streaming/BrokerNotice.tsx';
import { AccountHeader } from './AccountHeader.tsx';
import { ConnectionFilesPanel } from './ConnectionFilesPanel.tsx';
import { ConnectionPanel } from './ConnectionPanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { SnippetsPanel } from './SnippetsPanel.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const content = JSON.stringify({ type: 'record', name: 'Visit', fields: [{ name: 'berth', type: 'string' }] });
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id, method }: { id: string; method: string }, input: unknown) => {
    if (method !== 'GET') return sent(id, input);
    return answers()[id] ?? {};
  }) as never,
}));
const sent = vi.fn<(id: string, input: unknown) => unknown>();

let rules: AccountRules;
let clusterKind: StreamingInfo['cluster']['kind'] = 'EMBEDDED';
const answers = (): Readonly<Record<string, unknown>> => ({
  schemaView: { type: 'AVRO', content },
  accountRulesView: rules,
  streamingInfoView: { cluster: { kind: clusterKind, state: 'REACHABLE' }, registry: { state: 'REACHABLE' } },
});
const ruleOf = (user: string): AccountRules['rules'][number] => ({
  user,
  resource: 'topic',
  pattern: 'literal',
  name: 'berth.visits',
  operation: 'write',
  permission: 'allow',
  host: '*',
  state: 'THERE',
  from: { topic: 'visits', applicationCode: 'berth', operation: 'WRITE' },
});
const at = '2026-11-20T12:00:00.000Z';
const topic: AccountTopic = {
  resourceId: 'top_1',
  resourceType: 'TOPIC',
  applicationCode: 'berth',
  name: 'visits',
  topicName: 'berth.visits',
  valueSchema: { name: 'visit', type: 'AVRO' },
  grant: 'gr_1',
  state: 'APPROVED',
  basis: 'OWN',
  since: at,
  decidedBy: null,
  decision: null,
};
const accountOf = (certificateAuthority: string | null): Account => ({
  id: 'ka_1',
  name: 'planner',
  applicationCode: 'berth',
  environmentClass: 'development',
  description: '',
  produceTopics: [topic],
  consumeTopics: [],
  state: 'ACTIVE',
  user: 'berth.planner',
  groupPrefix: 'berth.planner.',
  connection: {
    bootstrapServers: ['kafka:9092'],
    securityProtocol: certificateAuthority === null ? 'SASL_PLAINTEXT' : 'SASL_SSL',
    mechanism: 'SCRAM-SHA-512',
    certificateAuthority,
    schemaRegistryUrl: 'http://slipway/schema-registry/development',
  },
  credentials: null,
  status: { pipelineId: null, isBusy: false, drift: 'NONE', comparedAt: null },
  createdAt: at,
  createdBy: { id: 'ingrid', displayName: 'Ingrid Solheim' },
  can: {},
});

let root: Root;
afterEach(() => act(async () => root.unmount()));
const open = async (element: ReactNode): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  root = createRoot(document.getElementById('root') as HTMLElement);
  const page = <SWRConfig value={{ provider: () => new Map() }}>{element}</SWRConfig>;
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />));
};
const code = (): string => document.querySelector('pre')?.textContent ?? '';
const choose = (label: string) =>
  act(async () => [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label)?.click());

test('a program writes a value that the schema of its topic takes', async () => {
  await open(<SnippetsPanel account={accountOf(null)} />);
  await vi.waitFor(async () => (await act(async () => {}), expect(code()).toContain('{"berth":""}')), { timeout: 20_000 });
  expect(code()).toContain('http://slipway/schema-registry/development/subjects/berth.visits-value/versions/latest');
  await choose('KafkaJS');
  expect(code()).toContain('This topic has a schema, and this is plain text');
});

test('the authority is a file of its own where the cluster has one', async () => {
  await open(<ConnectionFilesPanel account={accountOf(null)} />);
  expect(code()).toContain("export KAFKA_USERNAME='berth.planner'");
  expect(document.body.textContent).not.toContain('kafka-ca.pem');
  await act(async () => root.unmount());
  await open(<ConnectionFilesPanel account={accountOf('-----BEGIN CERTIFICATE-----')} />);
  await choose('kafka-ca.pem');
  expect(code()).toBe('-----BEGIN CERTIFICATE-----');
  await choose('client.properties');
  expect(code()).toContain('ssl.truststore.certificates=${env:KAFKA_CA_CERTIFICATE}');
});

test('the connection names what its cluster refuses, as the broker address does', async () => {
  const place = { app: 'berth', env: 'development', account: 'planner' } as const;
  const opened = async (kind: typeof clusterKind): Promise<string> => {
    clusterKind = kind;
    await open(
      <>
        <BrokerAddress place={place} />
        <ConnectionPanel place={place} account={accountOf(null)} />
      </>,
    );
    await vi.waitFor(async () => (await act(async () => {}), expect(document.body.textContent).toContain('transactional.id')));
    return document.body.textContent ?? '';
  };
  const embedded = await opened('EMBEDDED');
  expect(embedded.split('Transactions (transactional.id) and the newer groups (group.protocol=consumer)')).toHaveLength(3);
  await act(async () => root.unmount());
  const kafka = await opened('KAFKA');
  expect(kafka).toContain('Not offered');
  expect(kafka).not.toContain('group.protocol');
});

test('rules stand below their user while there are two', async () => {
  const place = { app: 'berth', env: 'development', account: 'planner' } as const;
  const users = ['berth.planner', 'berth.planner~2'];
  for (const shown of [users.slice(0, 1), users]) {
    rules = { isCompared: true, comparedAt: at, rules: shown.map(ruleOf), users: [] };
    await open(<RulesPanel place={place} account={accountOf(null)} team="Cranes" />);
    await vi.waitFor(
      async () => (await act(async () => {}), expect(document.querySelectorAll('td[data-label="May"]')).toHaveLength(shown.length)),
    );
    const heads = [...document.querySelectorAll('th[scope="rowgroup"]')].map(({ textContent }) => textContent);
    expect(heads).toEqual(shown.length === 1 ? [] : users.map((user) => `${user} 1`));
    if (shown.length === 1) await act(async () => root.unmount());
  }
});

test('its description is changed, and its topics are sent as they are', async () => {
  const place = { app: 'berth', env: 'development', account: 'planner' } as const;
  sent.mockReturnValue({ pipelineId: 'pl_1', subject: { kind: 'account', ...place }, status: { state: 'QUEUED', steps: [] } });
  await open(<AccountHeader place={place} account={{ ...accountOf(null), can: { update: true } }} team="Cranes" />);
  await act(async () => document.querySelector<HTMLButtonElement>('button[aria-label="Change description"]')?.click());
  const field = () => document.querySelector<HTMLInputElement>('input[name="description"]');
  await vi.waitFor(async () => (await act(async () => {}), expect(field()).not.toBeNull()), { timeout: 20_000 });
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(), 'Plans berths');
    field()?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await act(async () => document.querySelector('form')?.requestSubmit());
  const topics = { produceTopics: [{ resourceId: 'top_1', applicationCode: 'berth' }], consumeTopics: [] };
  await vi.waitFor(() =>
    expect(sent).toHaveBeenCalledWith('accountUpdate', { params: place, body: { description: 'Plans berths', ...topics } }),
  );
});
