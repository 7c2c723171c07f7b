/**
 * Installs the Helm chart in a real cluster with three replicas and a PostgreSQL outside, and tries it: from the click to the URL, a lost
 * replica, an upgrade under load, a database that is away, and a backup. Needs `npm run test:engines -- chart`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { pathOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { freePort } from '#testing/free-port.ts';
import { programToken } from '#testing/program.ts';
import { reach, testCluster, type TestCluster } from '../kubernetes/kubernetes-subject.fixture.ts';
import { writeSchemas } from './api-schemas.ts';
import { forward, type Forward } from './forward.ts';
import { ask, load, say } from './load.ts';

interface Tools {
  readonly helm: string;
  readonly kubeconform: string;
}
const root = resolve(import.meta.dirname, '../../../../..');
const chart = join(root, 'deploy/helm/slipway');
const found = testCluster();
const tools = process.env['TEST_CHART'];
const NAMESPACE = 'platform';
const APP = 'lighthouse';
/** The user of the image. */
const USER = 1000;
/** Never synchronous: this process forwards the pods' connections to PostgreSQL. */
const execute = promisify(execFile);
const IMAGE = 'slipway.local/slipway';
/** Version of the kit. Without it, a Helm built from its module assumes an old one when it renders without a cluster. */
const VERSION = '1.36.0';
const INSTALL_MS = 180_000;
const AWAY_MS = 10_000;

const suite = (cluster: TestCluster, { helm, kubeconform }: Tools): void => {
  let folder: string;
  let database: TestDatabase;
  let postgres: Forward;
  let platform: Forward;
  let publicUrl: string;
  let values: string;
  let edgeAddress: string;

  const run = async (file: string, ...args: string[]): Promise<string> => {
    const env = { ...process.env, ...cluster.env, KUBECONFIG: cluster.kubeconfig };
    return (await execute(file, args, { env, maxBuffer: 64 << 20 })).stdout.trim();
  };
  const kube = (...args: string[]): Promise<string> => run(join(cluster.bin, 'kubectl'), '-n', NAMESPACE, ...args);
  const apply = async (...objects: object[]): Promise<void> => {
    const file = join(folder, 'objects.yaml');
    await writeFile(file, objects.map((object) => stringify(object)).join('---\n'));
    await kube('apply', '-f', file);
  };
  const volume = (name: string): object => {
    const path = join(folder, name);
    mkdirSync(path);
    const spec = {
      capacity: { storage: '50Gi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: 'by-hand',
      hostPath: { path },
      claimRef: { namespace: NAMESPACE, name },
    };
    return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
  };
  const secret = (name: string, stringData: Record<string, string>): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  });
  const render = (...options: string[]): Promise<string> =>
    run(helm, 'template', 'slipway', chart, '--kube-version', VERSION, '-n', NAMESPACE, '-f', values, ...options);
  const upgrade = (...options: string[]): Promise<string> =>
    run(helm, 'upgrade', 'slipway', chart, '-n', NAMESPACE, '-f', values, ...options);

  const askService = async (): Promise<number> =>
    (await ask(`http://${edgeAddress}/healthz`, { host: `${APP}.${APP}.development.localhost:4080` })).status;
  const askPlatform = async (): Promise<number> =>
    (await ask(`${publicUrl}/api/v1/me`, { authorization: `Bearer ${programToken}` })).status;

  const call = async (route: RouteShape, options: { params?: Record<string, string>; body?: object } = {}): Promise<unknown> => {
    const answer = await fetch(`${publicUrl}${pathOf(route, options.params)}`, {
      method: route.method,
      headers: { authorization: `Bearer ${programToken}`, ...(options.body && { 'content-type': 'application/json' }) },
      ...(options.body && { body: JSON.stringify(options.body) }),
    });
    if (!answer.ok) throw new Error(`${route.id} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const completed = async (route: RouteShape, body: object): Promise<void> => {
    let { pipelineId, status } = (await call(route, { body })) as PipelineRun;
    let message: string | null = null;
    while (isActive(status.state)) {
      await delay(200);
      const seen = (await call(pipelineView, { params: { pipelineId } })) as PipelineRun;
      ({ status } = seen);
      message = seen.statusMessage;
    }
    expect(status.state, message ?? '').toBe('COMPLETED');
  };

  /** Terminating pods are among them until they end. */
  const servers = async (label = 'app.kubernetes.io/component=server'): Promise<string[]> =>
    (await kube('get', 'pods', '-l', label, '-o', 'jsonpath={.items[*].metadata.name}')).split(' ').filter(Boolean);
  const holders = (): Promise<string[]> => servers('slipway.dev/edge=open');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-chart-'));
    // Pods reach their volumes below it.
    chmodSync(folder, 0o755);
    const image = join(folder, 'image');
    await run(process.execPath, join(root, 'packages/server/src/own-image/build-image.ts'), '--output', image);
    await run('tar', '-C', image, '-cf', `${image}.tar`, '.');
    const archive = openSync(`${image}.tar`, 'r');
    execFileSync(join(cluster.kit, 'enter'), ['ctr', '-n', 'k8s.io', 'images', 'import', '-'], {
      env: { ...process.env, ...cluster.env },
      stdio: [archive, 'ignore', 'inherit'],
    });

    database = await testDatabase({ isEmpty: true });
    const { database: name, host, password, user } = database.config;
    const databasePort = await freePort();
    postgres = await forward(cluster.edgeAddress, databasePort, { path: join(host, '.s.PGSQL.5432') });
    const publicPort = await freePort();
    publicUrl = `http://127.0.0.1:${publicPort}`;
    values = join(folder, 'values.yaml');
    await writeFile(
      values,
      stringify({
        publicUrl,
        image: { repository: IMAGE, pullPolicy: 'Never' },
        database: { existingSecret: 'slipway-database', port: databasePort },
        settingsSecret: 'slipway-settings',
        settings: {
          SLIPWAY_LOCAL_USERS: 'password',
          SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: '10',
          SLIPWAY_LOG_LEVEL: 'info',
        },
        persistence: { storageClass: 'by-hand' },
        backup: { enabled: true, existingClaim: 'archives', existingSecret: 'slipway-passphrase' },
        resources: { requests: { cpu: '10m', memory: '128Mi' }, limits: { memory: '2Gi' } },
      }),
    );
    await kube('create', 'namespace', NAMESPACE);
    await kube('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted');
    await apply(
      volume('slipway-data'),
      volume('archives'),
      secret('slipway-database', { url: `postgres://${user}:${password}@${cluster.edgeAddress}:${databasePort}/${name}` }),
      secret('slipway-settings', { SLIPWAY_ADMIN_TOKEN: programToken }),
      secret('slipway-passphrase', { passphrase: 'a passphrase for the test' }),
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'archives' },
        spec: { accessModes: ['ReadWriteMany'], storageClassName: 'by-hand', resources: { requests: { storage: '1Gi' } } },
      },
    );
    for (const name of ['slipway-data', 'archives']) await chown(join(folder, name), USER, USER);
    await run(helm, 'install', 'slipway', chart, '-n', NAMESPACE, '-f', values, '--wait', '--timeout', `${INSTALL_MS / 1000}s`);
    const addressOf = (service: string): Promise<string> => kube('get', 'service', service, '-o', 'jsonpath={.spec.clusterIP}');
    edgeAddress = await addressOf('slipway-edge');
    platform = await forward('127.0.0.1', publicPort, { host: await addressOf('slipway'), port: 80 });
    // The node pulls the images of services there.
    reach(cluster, publicPort);
  }, 2 * INSTALL_MS);
  afterAll(async () => {
    await kube('delete', 'namespace', `${APP}-development`, '--ignore-not-found', '--wait=false');
    // Also removes what is not in the namespace.
    await run(helm, 'uninstall', 'slipway', '-n', NAMESPACE, '--ignore-not-found');
    await kube('delete', 'namespace', NAMESPACE, '--ignore-not-found');
    await kube('delete', 'persistentvolume', 'slipway-data', 'archives', '--ignore-not-found');
    await platform?.cut();
    await postgres?.cut();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  }, INSTALL_MS);

  test('helm lint finds nothing, and the API server’s own schemas accept every object', async () => {
    expect(await run(helm, 'lint', chart, '-f', values)).toContain('0 chart(s) failed');
    const location = await writeSchemas(await kube('get', '--raw', '/openapi/v2'), join(folder, 'schemas'));
    const conform = (file: string): Promise<string> => run(kubeconform, '-summary', '-strict', '-schema-location', location, file);
    const objects = join(folder, 'rendered.yaml');
    await writeFile(
      objects,
      await render(
        '--set',
        'publicUrl=https://slipway.example.com,ingress.enabled=true,ingress.edgeHosts={*.apps.test},ingress.tlsSecret=tls',
      ),
    );
    expect(await conform(objects)).toMatch(/Valid: 1\d, Invalid: 0, Errors: 0, Skipped: 0/);
    const wrong = join(folder, 'wrong.yaml');
    await writeFile(wrong, (await readFile(objects, 'utf8')).replace('replicas: 3', 'replica: 3'));
    await expect(conform(wrong)).rejects.toMatchObject({ stdout: expect.stringContaining("'replica' not allowed") as unknown });
    const sent = await kube('apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', objects);
    expect(sent).toContain('ingress.networking.k8s.io/slipway serverside-applied');
  });

  test.each([
    ['several replicas on a volume of one', ['persistence.accessMode=ReadWriteOnce'], /ReadWriteMany/],
    ['a variable that the chart sets', ['settings.SLIPWAY_RUNTIME=embedded'], /sets this variable itself/],
    ['no way to sign in', ['settings.SLIPWAY_LOCAL_USERS='], /SLIPWAY_OIDC_AUTHORITY/],
    ['a backup without a passphrase', ['backup.existingSecret='], /existingSecret/],
    ['an unknown value', ['replica=3'], /replica/],
  ])('refuses %s', (_, set, reason) => {
    expect(() =>
      execFileSync(helm, ['template', 'slipway', chart, '--kube-version', VERSION, '-f', values, '--set', ...set], { stdio: 'pipe' }),
    ).toThrow(reason);
  });

  test('three replicas are ready, and one of them has the edge', async () => {
    expect(await kube('get', 'deployment', 'slipway', '-o', 'jsonpath={.status.readyReplicas}')).toBe('3');
    const { status, text } = await ask(`${publicUrl}/readyz`);
    expect([status, text]).toEqual([200, expect.stringContaining('"status":"ok"')]);
    expect(await ask(publicUrl)).toEqual({ status: 200, text: expect.stringContaining('<title>') as unknown });
    const pod = await kube('get', 'pods', '-l', 'app.kubernetes.io/component=server', '-o', 'jsonpath={.items[0].status.podIP}');
    expect((await ask(`http://${pod}:4000/metrics`)).text).toContain('slipway_replicas 3');
    // Only for probes: other paths need the host of the public URL.
    expect((await ask(`http://${pod}:4000/api/v1/me`)).status).toBe(421);
    expect(await holders()).toHaveLength(1);
  });

  test('a new app answers at its URL, in a pod that pulled its image from a replica', async () => {
    await completed(teamCreate, { id: 'cranes', displayName: 'Cranes', ownerIds: ['platform-automation'] });
    await completed(quickstartApplicationCreate, { id: APP, teamId: 'cranes', template: 'node-http-api' });
    expect(await askService()).toBe(200);
  });

  test('the account has no right beside its roles', async () => {
    const can = (...args: string[]): Promise<boolean> =>
      kube('auth', 'can-i', ...args, '--as', `system:serviceaccount:${NAMESPACE}:slipway`).then(
        (answer) => answer === 'yes',
        () => false,
      );
    expect([await can('patch', 'pods'), await can('create', 'deployments', '-n', 'default')]).toEqual([true, true]);
    for (const refused of [
      ['patch', 'pods', '-n', 'default'],
      ['get', 'secrets'],
      ['list', 'nodes'],
      ['create', 'pods/exec'],
      ['create', 'clusterroles'],
    ])
      expect([refused, await can(...refused)]).toEqual([refused, false]);
  });

  test('another replica takes the edge over when the pod that has it is deleted, and no request fails', async () => {
    const [holder = ''] = await holders();
    const stopServices = load(askService);
    const stopPlatform = load(askPlatform);
    await kube('delete', 'pod', holder);
    await expect.poll(holders, { timeout: 60_000, interval: 500 }).not.toContain(holder);
    await expect.poll(holders, { timeout: 60_000, interval: 500 }).toHaveLength(1);
    // The former edge serves for a while after the label has moved.
    await expect.poll(() => servers(), { timeout: 60_000, interval: 500 }).not.toContain(holder);
    await expect.poll(askService, { timeout: 60_000, interval: 100 }).toBe(200);
    const [services, api] = [await stopServices(), await stopPlatform()];
    say('A replica is deleted, services', services);
    say('A replica is deleted, API', api);
    expect([api.failed, services.failed]).toEqual([0, 0]);
    expect(services.count).toBeGreaterThan(50);
    await kube('rollout', 'status', 'deployment/slipway', '--timeout=120s');
  });

  test(
    'a rolling upgrade loses no request of the API and of services',
    async () => {
      const stopServices = load(askService);
      const stopPlatform = load(askPlatform);
      await upgrade('--set', 'podAnnotations.round=second', '--wait', '--timeout', `${INSTALL_MS / 1000}s`);
      // The upgrade has ended when the old pods are gone: one of them may still have the edge.
      await expect.poll(() => servers(), { timeout: 60_000, interval: 500 }).toHaveLength(3);
      await expect.poll(askService, { timeout: 60_000, interval: 100 }).toBe(200);
      const [services, api] = [await stopServices(), await stopPlatform()];
      say('Rolling upgrade, services', services);
      say('Rolling upgrade, API', api);
      expect(api.count).toBeGreaterThan(100);
      expect(services.count).toBeGreaterThan(100);
      expect([api.failed, services.failed]).toEqual([0, 0]);
    },
    INSTALL_MS,
  );

  test(
    'services answer while PostgreSQL is away, and the platform comes back',
    async () => {
      await expect.poll(holders, { timeout: 60_000, interval: 500 }).toHaveLength(1);
      await expect.poll(askService, { timeout: 60_000, interval: 100 }).toBe(200);
      const stop = load(askService);
      await postgres.cut();
      await delay(AWAY_MS);
      const services = await stop();
      await postgres.open();
      say('PostgreSQL is away, services', services);
      expect(services.count).toBeGreaterThan(50);
      expect(services.failed).toBe(0);
      await expect.poll(askPlatform, { timeout: 60_000, interval: 500 }).toBe(200);
      await expect.poll(askService, { timeout: 60_000, interval: 500 }).toBe(200);
    },
    INSTALL_MS,
  );

  test(
    'the CronJob makes a backup and checks it',
    async () => {
      await kube('create', 'job', 'backup-now', '--from=cronjob/slipway-backup');
      try {
        await kube('wait', '--for=condition=Complete', 'job/backup-now', '--timeout=120s');
      } finally {
        process.stdout.write(await kube('logs', 'job/backup-now', '--tail=10'));
      }
      const archives = readdirSync(join(folder, 'archives'));
      expect(archives).toEqual([expect.stringMatching(/^slipway-.*\.tar\.zst$/)]);
      expect(existsSync(join(folder, 'slipway-data/slipway/keys'))).toBe(true);
    },
    INSTALL_MS,
  );
};

if (found && tools !== undefined) describe('the chart in a cluster', () => suite(found, JSON.parse(tools) as Tools));
else test.skip('the chart needs a cluster, helm and kubeconform', () => {});
