/** Checks the objects that the runtime writes to a cluster, and their order, beside an API server that fails at a chosen path. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleSpec, silentLog } from '@slipway/runtime/local/runtime-subject.fixture.ts';
import type { RevisionSpec } from '#ports/runtime.ts';
import type { KubeObject } from './api/kube-object.ts';
import { Cluster } from './cluster.ts';
import { CONTAINER } from './objects/names.ts';

const spec: RevisionSpec = { ...sampleSpec('orders-7'), env: { TOKEN: 'geheim' } };
let server: Server;
let folder: string;
let cluster: Cluster;
/** Objects that the cluster has, by path. */
const objects = new Map<string, KubeObject>();
const deleted: string[] = [];
let failsAt = '';
let version = 100;

const bodyOf = async (request: IncomingMessage): Promise<KubeObject> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as KubeObject;
};
beforeEach(async () => {
  objects.clear();
  deleted.length = 0;
  failsAt = '';
  server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster');
    const send = (status: number, body: object): void => void answer.writeHead(status).end(JSON.stringify(body));
    const respond = async (): Promise<void> => {
      if (searchParams.has('watch')) {
        answer.writeHead(200).flushHeaders();
        return;
      }
      if (request.method === 'DELETE') {
        deleted.push(pathname);
        return send(200, {});
      }
      if (request.method !== 'PATCH') {
        const plural = pathname.split('/').at(-1) ?? '';
        const isList = !pathname.startsWith('/api/v1/namespaces/');
        const items = [...objects].flatMap(([path, object]) => (path.split('/').at(-2) === plural ? [object] : []));
        return isList ? send(200, { items, metadata: { resourceVersion: String(version) } }) : send(404, { message: 'not found' });
      }
      if (failsAt !== '' && pathname.includes(failsAt)) return send(500, { message: 'out of order' });
      const body = await bodyOf(request);
      const object = { ...body, metadata: { ...body.metadata, uid: `uid of ${body.metadata.name}`, resourceVersion: String(++version) } };
      objects.set(pathname, object);
      send(200, object);
    };
    void respond();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  folder = await mkdtemp(join(tmpdir(), 'slipway-cluster-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const named = { name: 'test' };
  const config = {
    clusters: [{ ...named, cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ ...named, user: {} }],
    contexts: [{ ...named, context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  cluster = new Cluster({
    name: 'test',
    source: { kubeconfig, context: undefined },
    settings: {
      mark: 'mark',
      quota: {},
      edgeSources: ['10.0.0.7'],
      egressInside: [],
      registryHost: 'registry.example.com',
      drainSeconds: 0,
      cpuRequestPercent: 50,
      pullAccess: () => ({ username: 'node-agent.shop', password: 'secret' }),
    },
    dataDir: folder,
    log: silentLog,
    timings: { sameFailureMs: 1000, emptyNamespaceMs: 60_000, awayMs: 10_000 },
    emit: () => {},
    onPods: () => {},
  });
});
afterEach(async () => {
  await cluster.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});
const owners = (): unknown[] =>
  [...objects].filter(([path]) => path.includes('-env-')).flatMap(([, { metadata }]) => metadata.ownerReferences ?? ['nobody']);

test('a Secret belongs to the account of its service until its Deployment exists', async () => {
  await cluster.start();
  failsAt = '/deployments/';
  await expect(cluster.ensureRevision(spec)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(owners()).toMatchObject([{ kind: 'ServiceAccount', name: `service-${spec.service}` }]);
  failsAt = '';
  await cluster.ensureRevision(spec);
  expect(owners()).toEqual([{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'orders-7', uid: 'uid of orders-7' }]);
});

test('a sweep puts the address of a service back, and takes the one of a service without a route', async () => {
  await cluster.start();
  await cluster.ensureRevision(spec);
  const key = `${spec.app}/${spec.environment}/${spec.service}`;
  const address = `/api/v1/namespaces/${spec.app}-${spec.environment}/services/${spec.service}`;
  await cluster.sweep(new Map([[key, { service: spec, revision: spec.revision }]]));
  expect([...objects.keys()]).toContain(address);
  expect(deleted).toEqual([]);
  await cluster.sweep(new Map());
  expect(deleted).toEqual([address]);
});

test('a cluster that stands down changes nothing, and still knows the ready pods of each revision', async () => {
  await cluster.start();
  await cluster.ensureRevision(spec);
  const deployment = [...objects.values()].find(({ kind }) => kind === 'Deployment');
  if (!deployment) throw new Error('There is no Deployment.');
  const { template } = deployment['spec'] as { template: { metadata: KubeObject['metadata']; spec: object } };
  const namespace = `${spec.app}-${spec.environment}`;
  objects.set(`/api/v1/namespaces/${namespace}/pods/orders-7-a`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: 'orders-7-a', namespace, uid: 'pod' },
    spec: template.spec,
    status: {
      podIP: '10.0.1.1',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: CONTAINER, restartCount: 0, state: { running: {} } }],
    },
  } as KubeObject);
  await cluster.start();
  const ready = (of?: string[]) => cluster.ready(spec, of).map(({ id }) => id);
  await cluster.standDown();
  expect([ready(['orders-7']), ready(['orders-6']), ready()]).toEqual([['orders-7-a'], [], ['orders-7-a']]);
  await expect(cluster.ensureRevision(spec)).rejects.toMatchObject({ kind: 'unavailable' });
});
