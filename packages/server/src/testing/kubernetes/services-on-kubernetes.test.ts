/**
 * The platform as a program with a real cluster, from the click to the URL: rollouts under load, drift, and kills of every part. Needs
 * `npm run test:engines -- kubernetes`.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationDelete } from '@slipway/contract/application.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { revisionActivation, revisionDelete, revisionInstances, revisionList } from '@slipway/contract/service/revision.ts';
import { serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import type { RolloutStrategy, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceActivation, serviceDelete, serviceDeploy, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { kubectl, leastRights, reach, testCluster, type TestCluster } from './kubernetes-subject.fixture.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { freePort } from '#testing/free-port.ts';
import { askEdge, Program, removeData, untilServed } from '#testing/program.ts';

const APP = 'lighthouse';
const NAMESPACE = `${APP}-development`;
const LANES = 4;
const params = { app: APP, env: 'development', service: APP };
const found = testCluster();
/** How long the API server stands still: longer than the platform waits before it says so. */
const STILL_MS = 25_000;

interface Load {
  stop(): Promise<{ count: number; failures: number[] }>;
}
const load = (ingressPort: number): Load => {
  let isStopping = false;
  let count = 0;
  const failures: number[] = [];
  const lane = async (): Promise<void> => {
    while (!isStopping) {
      count += 1;
      const status = await askEdge(ingressPort, APP);
      if (status !== 200) failures.push(status);
      await delay(10);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  return {
    async stop() {
      isStopping = true;
      await Promise.all(lanes);
      return { count, failures };
    },
  };
};

const suite = (cluster: TestCluster): void => {
  let database: TestDatabase;
  let dataDir: string;
  let environment: Record<string, string>;
  let ingressPort: number;
  let server: Program;
  let imageTag = '';

  const start = (): Promise<Program> => Program.start(Number(environment['PORT']), environment);
  const kube = (...args: string[]): string => kubectl(cluster, '-n', NAMESPACE, ...args);
  const run = async (started: Promise<unknown>): Promise<PipelineRun> => server.ended(((await started) as PipelineRun).pipelineId);
  const completed = async (started: Promise<unknown>): Promise<PipelineRun> => {
    const ended = await run(started);
    expect(ended.status.state, ended.statusMessage ?? '').toBe('COMPLETED');
    return ended;
  };
  const service = (): Promise<Service> => server.call(serviceView, { params }) as Promise<Service>;
  const update = async (change: Partial<ServiceSpec>): Promise<unknown> => {
    const { active, githubRepositoryName, spec } = await service();
    return server.call(serviceUpdate, { params, body: { active, githubRepositoryName, spec: { ...spec, ...change } } });
  };
  const useStrategy = async (strategy: RolloutStrategy): Promise<void> => {
    if ((await service()).spec.rollout.strategy !== strategy) await completed(update({ rollout: { strategy } }));
  };
  const deploy = (): Promise<unknown> => server.call(serviceDeploy, { params, body: { imageTag } });
  const names = (kind: string): string[] =>
    kube('get', kind, '-o', 'jsonpath={.items[*].metadata.name}')
      .split(' ')
      .filter((name) => name !== '');
  const serving = async (): Promise<string> => (await service()).status.serving ?? '';
  const events = async (revision: string): Promise<{ reason: string; message: string }[]> =>
    ((await server.call(revisionInstances, { params: { ...params, revision } })) as { events: { reason: string; message: string }[] })
      .events;
  const pid = (program: string): number => Number(readFileSync(join(cluster.pids, program), 'utf8').trim());

  beforeAll(async () => {
    database = await testDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-on-kubernetes-'));
    const port = await freePort();
    ingressPort = await freePort();
    reach(cluster, port);
    environment = {
      PORT: String(port),
      SLIPWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
      SLIPWAY_INGRESS_PORT: String(ingressPort),
      SLIPWAY_DATA: dataDir,
      DATABASE_URL: database.url,
      SLIPWAY_RUNTIME: 'kubernetes',
      SLIPWAY_KUBERNETES_KUBECONFIG: await leastRights(cluster, dataDir),
      SLIPWAY_KUBERNETES_REGISTRY: `127.0.0.1:${port}`,
      SLIPWAY_KUBERNETES_EDGE_SOURCES: cluster.edgeAddress,
      SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: '10',
    };
    server = await start();
    await server.makeTeam();
  });
  afterAll(async () => {
    await server?.end('SIGTERM');
    kubectl(cluster, 'delete', 'namespace', NAMESPACE, '--ignore-not-found', '--wait=false');
    await database?.drop();
    if (dataDir) await removeData(dataDir);
  });

  test('a new app answers at its URL from a pod', async () => {
    const ended = await server.ended(await server.quickstart(APP));
    expect(ended.status.state, ended.statusMessage ?? '').toBe('COMPLETED');
    expect(await askEdge(ingressPort, APP)).toBe(200);
    expect(names('deployments')).toEqual([`${APP}-1`]);
    imageTag = (await service()).status.imageTag ?? '';
  });

  test('a pod has no token, and the API server refuses it', async () => {
    const [pod = ''] = names('pods');
    const inside = (program: string): string => kube('exec', pod, '--', 'node', '-e', program);
    expect(inside(`console.log(require('fs').existsSync('/var/run/secrets/kubernetes.io'))`).trim()).toBe('false');
    const ask = `process.env.NODE_TLS_REJECT_UNAUTHORIZED='0';fetch('https://10.203.128.1/api/v1/namespaces/${NAMESPACE}/secrets').then(a=>console.log(a.status),e=>console.log('refused'))`;
    expect(['401', '403', 'refused']).toContain(inside(ask).trim());
  });

  test.each<RolloutStrategy>(['ROLLING_UPDATE', 'RED_BLACK', 'RECREATE'])('%s: a deploy under load', async (strategy) => {
    await useStrategy(strategy);
    const before = await serving();
    const requests = load(ingressPort);
    await completed(deploy());
    await delay(500);
    const { count, failures } = await requests.stop();
    expect(await serving()).not.toBe(before);
    expect(await askEdge(ingressPort, APP)).toBe(200);
    expect(count).toBeGreaterThan(100);
    // RECREATE stops the old revision before it starts the new one.
    if (strategy !== 'RECREATE') expect(failures).toEqual([]);
    await expect.poll(() => names('deployments')).toEqual([await serving()]);
    process.stdout.write(`${strategy}: ${count} requests, ${failures.length} failed\n`);
  });

  test('a disabled revision is enabled again without a failed request', async () => {
    await useStrategy('RED_BLACK');
    const old = await serving();
    await completed(deploy());
    const requests = load(ingressPort);
    await completed(server.call(revisionActivation, { params: { ...params, revision: old }, body: { enabled: true } }));
    expect((await requests.stop()).failures).toEqual([]);
    expect(await serving()).toBe(old);
  });

  test('another number of instances', async () => {
    const requests = load(ingressPort);
    const { template } = (await service()).spec;
    await completed(update({ template: { ...template, replicaScaling: { ...template.replicaScaling, scalingType: 'STATIC', count: 2 } } }));
    expect(kube('get', 'deployment', await serving(), '-o', 'jsonpath={.status.readyReplicas}')).toBe('2');
    expect((await requests.stop()).failures).toEqual([]);
  });

  test('changes by kubectl are seen within 30 s and put back', async () => {
    const revision = await serving();
    const deployment = `deployment/${revision}`;
    const startedAt = Date.now();
    kube('scale', deployment, '--replicas=1');
    kube('delete', 'networkpolicy', 'slipway-deny');
    kube('delete', 'service', APP);
    kube('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=privileged', '--overwrite');
    await expect.poll(() => kube('get', deployment, '-o', 'jsonpath={.spec.replicas}'), { interval: 500 }).toBe('2');
    await expect.poll(() => names('networkpolicies'), { interval: 500 }).toContain('slipway-deny');
    await expect.poll(() => names('services'), { interval: 500 }).toEqual([APP]);
    await expect
      .poll(() => kube('get', 'namespace', NAMESPACE, '-o', 'jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}'), {
        interval: 500,
      })
      .toBe('restricted');
    const changes = async () =>
      (await events(revision))
        .filter(({ reason }) => reason === 'ChangedOutside')
        .map(({ message }) => message)
        .join(' ');
    await expect.poll(changes, { interval: 500 }).toContain('spec.replicas');
    expect(Date.now() - startedAt).toBeLessThan(30_000);
    // A second container is removed, although Slipway does not own its entry in the list.
    const patch = {
      spec: {
        template: {
          spec: { containers: [{ name: 'stranger', image: 'stranger', resources: { limits: { cpu: '10m', memory: '16Mi' } } }] },
        },
      },
    };
    kube('patch', 'deployment', revision, '--type=strategic', '-p', JSON.stringify(patch));
    await expect
      .poll(() => kube('get', deployment, '-o', 'jsonpath={.spec.template.spec.containers[*].name}'), { interval: 500 })
      .toBe('app');
  });

  test('a rollout waits for an API server that stands still, says so, and goes on', async () => {
    const requests = load(ingressPort);
    const apiServer = pid('kube-apiserver');
    process.kill(apiServer, 'SIGSTOP');
    const stopped = Date.now();
    try {
      const { pipelineId } = (await deploy()) as PipelineRun;
      const waiting = async () =>
        (
          await database.db
            .selectFrom('pipeline_step')
            .innerJoin('pipeline_run', 'pipeline_run.run_id', 'pipeline_step.run_id')
            .select('pipeline_step.message')
            .where('pipeline_run.pipeline_id', '=', pipelineId)
            .where('pipeline_step.state', '=', 'RUNNING')
            .executeTakeFirst()
        )?.message;
      await expect.poll(waiting, { interval: 200 }).toMatchObject({ code: 'EngineUnavailable', context: { engine: 'runtime' } });
      await delay(Math.max(0, STILL_MS - (Date.now() - stopped)));
      process.kill(apiServer, 'SIGCONT');
      const ended = await server.ended(pipelineId);
      expect(ended.status.state, ended.statusMessage ?? '').toBe('COMPLETED');
    } finally {
      process.kill(apiServer, 'SIGCONT');
    }
    expect((await requests.stop()).failures).toEqual([]);
  });

  test.each(['kube-apiserver', 'kubelet'])('a rollout goes on after kill -9 of %s', async (program) => {
    const requests = load(ingressPort);
    const { pipelineId } = (await deploy()) as PipelineRun;
    await delay(300);
    process.kill(pid(program), 'SIGKILL');
    const ended = await server.ended(pipelineId);
    expect(ended.status.state, ended.statusMessage ?? '').toBe('COMPLETED');
    expect((await requests.stop()).failures).toEqual([]);
  });

  test('a rollout goes on after kill -9 of the server, and pods run on', async () => {
    const before = names('pods');
    const { pipelineId } = (await deploy()) as PipelineRun;
    await delay(1000);
    await server.end('SIGKILL');
    expect(names('pods')).toEqual(expect.arrayContaining(before.slice(0, 1)));
    server = await start();
    const ended = await server.ended(pipelineId);
    expect(ended.status.state, ended.statusMessage ?? '').toBe('COMPLETED');
    await untilServed(ingressPort, APP);
    await expect.poll(() => names('deployments')).toEqual([await serving()]);
  });

  test('a service that is deactivated runs nothing, and comes back', async () => {
    await completed(server.call(serviceActivation, { params, body: { active: false } }));
    expect(names('deployments')).toEqual([]);
    expect(await askEdge(ingressPort, APP)).not.toBe(200);
    await completed(server.call(serviceActivation, { params, body: { active: true } }));
    await untilServed(ingressPort, APP);
  });

  test('nothing is left behind after an app is deleted', async () => {
    await completed(server.call(serviceActivation, { params, body: { active: false } }));
    const { content } = (await server.call(revisionList, { params })) as { content: { name: string; status: string }[] };
    for (const { name, status } of content)
      if (status !== 'DELETED') await completed(server.call(revisionDelete, { params: { ...params, revision: name } }));
    await completed(server.call(serviceDelete, { params }));
    await completed(server.call(applicationDelete, { params: { app: APP } }));
    await expect
      .poll(() => kubectl(cluster, 'get', 'namespace', NAMESPACE, '--ignore-not-found', '-o', 'name'), { interval: 1000, timeout: 110_000 })
      .toBe('');
  });
};

if (found) describe('services on Kubernetes', () => suite(found));
else test.skip('services on Kubernetes need a cluster', () => {});
