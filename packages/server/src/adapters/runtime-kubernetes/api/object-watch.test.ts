/** Tests the copy of a cluster's objects beside an API server that answers as a test wants. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '@slipway/runtime/local/runtime-subject.fixture.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { ClusterApi } from './cluster-api.ts';
import { RESOURCES, type KubeObject } from './kube-object.ts';
import { ObjectWatch, type WatchOptions } from './object-watch.ts';

const object = (name: string, resourceVersion: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    namespace: 'shop-development',
    uid: name,
    resourceVersion: String(resourceVersion),
  },
  spec: { type: 'ClusterIP' },
});
/** As the API server sends it. */
const withManagers = ({ metadata, ...rest }: KubeObject): object => ({
  ...rest,
  metadata: { ...metadata, managedFields: [{ manager: 'somebody' }] },
});

let server: Server;
let watch: ObjectWatch | undefined;
let lists = 0;
let watches = 0;
/** Answers a list. The copy may change meanwhile. */
let onList: () => readonly KubeObject[];
let onWatch: (answer: ServerResponse) => void;
/** Answers the second page of a list, which then has two. */
let onSecondPage: ((answer: ServerResponse) => void) | undefined;

beforeEach(async () => {
  [lists, watches] = [0, 0];
  onList = () => [object('orders', 5)];
  onWatch = () => {};
  onSecondPage = undefined;
  server = createServer((request, answer) => {
    if (request.url?.includes('watch=true')) {
      watches++;
      answer.writeHead(200).flushHeaders();
      return onWatch(answer);
    }
    lists++;
    if (onSecondPage && request.url?.includes('continue=')) return onSecondPage(answer);
    const more = onSecondPage ? { continue: 'second' } : {};
    return answer.end(JSON.stringify({ items: onList().map(withManagers), metadata: { resourceVersion: '10', ...more } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await watch?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const started = async (more: Partial<WatchOptions> = {}): Promise<ObjectWatch> => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'test', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }, { name: 'test' });
  const api = new ClusterApi(config, `http://127.0.0.1:${port}`);
  watch = new ObjectWatch({ api, resource: RESOURCES.Service, log: silentLog, onChange: () => {}, ...more });
  await watch.start();
  return watch;
};
const names = (): string[] => watch?.objects.map(({ metadata }) => metadata.name).toSorted() ?? [];

test('an object that is applied while a list is read stays, and one that is missing there goes', async () => {
  await started({ resyncMs: 0 });
  onList = () => {
    watch?.put(object('gone', 9));
    watch?.put(object('new', 11));
    return [object('orders', 5)];
  };
  onWatch = (answer) => answer.end();
  const before = lists;
  server.closeAllConnections();
  await vi.waitFor(() => expect(lists).toBeGreaterThan(before), { timeout: PATIENCE_MS });
  await vi.waitFor(() => expect(names()).toEqual(['new', 'orders']), { timeout: PATIENCE_MS });
});

test('lists again after a list that failed on a later page, instead of watching from its version', async () => {
  let failures = 1;
  onWatch = (answer) => {
    onWatch = () => {};
    onSecondPage = (second) => {
      if (failures-- > 0) second.writeHead(500).end();
      else second.end(JSON.stringify({ items: [withManagers(object('late', 6))], metadata: { resourceVersion: '10' } }));
    };
    answer.end(`${JSON.stringify({ type: 'ERROR', object: { message: 'too old resource version' } })}\n`);
  };
  await started();
  await vi.waitFor(() => expect(names()).toEqual(['late', 'orders']), { timeout: PATIENCE_MS });
});

test('an API server that ends every watch at once is not asked without pause', async () => {
  onWatch = (answer) => answer.end();
  const startedAt = performance.now();
  await started();
  await vi.waitFor(() => expect(watches).toBeGreaterThan(3), { timeout: PATIENCE_MS });
  expect(watches).toBeLessThanOrEqual((performance.now() - startedAt) / 250 + 1);
});

test('the copy has no list of managers, and a slim one has no content', async () => {
  const heard: KubeObject[] = [];
  await started();
  expect(watch?.objects[0]).toMatchObject({ spec: { type: 'ClusterIP' }, metadata: { name: 'orders' } });
  expect(watch?.objects[0]?.metadata).toHaveProperty('managedFields', undefined);
  await watch?.stop();
  await started({ isSlim: true, onChange: (one) => one && heard.push(one) });
  expect(heard).toMatchObject([{ spec: { type: 'ClusterIP' } }]);
  const { kind, metadata } = object('orders', 5);
  const { name, namespace, resourceVersion, uid } = metadata;
  expect(watch?.objects).toEqual([{ apiVersion: 'v1', kind, metadata: { name, namespace, resourceVersion, uid } }]);
});
