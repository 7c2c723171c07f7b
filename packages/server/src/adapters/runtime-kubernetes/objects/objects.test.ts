/** Tests the mapping from a revision's spec to objects. A cluster, if there is one, judges the objects by a dry run. */
import { describe, expect, test } from 'vitest';
import { sampleSpec } from '@slipway/runtime/local/runtime-subject.fixture.ts';
import type { RevisionSpec } from '#ports/runtime.ts';
import { ClusterApi } from '../api/cluster-api.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { testCluster } from '#testing/kubernetes/kubernetes-subject.fixture.ts';
import { egressRules } from './egress.ts';
import { environmentObjects, type EnvironmentSettings } from './environment-objects.ts';
import { probesOf } from './probes.ts';
import { ownedBy, revisionObjects, type RevisionSettings } from './revision-objects.ts';
import { clusterService, serviceAccount } from './service-objects.ts';

const environment: EnvironmentSettings = {
  mark: 'mark',
  quota: { pods: '20', 'limits.memory': '8Gi' },
  edgeSources: ['10.0.0.7', '10.1.0.0/16', 'namespace:slipway'],
  pull: { host: 'registry.example.com', username: 'node-agent.shop', password: 'secret' },
};
const settings: RevisionSettings = {
  mark: 'mark',
  registryHost: 'registry.example.com',
  hasPullSecret: true,
  drainSeconds: 5,
  cpuRequestPercent: 50,
};
const spec: RevisionSpec = {
  ...sampleSpec('orders-7'),
  image: { repository: 'shop/orders', digest: `sha256:${'a'.repeat(64)}` },
  env: { TOKEN: 'geheim', SLIPWAY_REVISION: 'a lie' },
  files: [{ mountPath: '/run/secrets/db', files: { 'pass word': 'one', user: 'two' } }],
  region: 'WESTEUROPE',
  replicas: 2,
};
interface Shape {
  readonly spec: { readonly template: { readonly spec: Record<string, unknown> & { containers: Record<string, unknown>[] } } };
}
const podOf = (change: Partial<RevisionSpec> = {}) =>
  (revisionObjects(settings, { ...spec, ...change }, []).deployment as unknown as Shape).spec.template.spec;
const dataOf = (secret: KubeObject | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secret?.['data'] as Record<string, string>).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  );

describe('a revision', () => {
  test('runs its image by digest, without privileges, token or writable root', () => {
    const pod = podOf();
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: 'service-orders',
      imagePullSecrets: [{ name: 'slipway-pull' }],
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      terminationGracePeriodSeconds: 8,
    });
    expect(pod.containers).toMatchObject([
      {
        image: `registry.example.com/shop/orders@sha256:${'a'.repeat(64)}`,
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        resources: { requests: { cpu: '500m', memory: '256Mi' }, limits: { cpu: '1', memory: '256Mi' } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
      },
    ]);
  });

  test('keeps variables and files in immutable Secrets, whose names follow their content', () => {
    const { secrets } = revisionObjects(settings, spec, []);
    const [variables, files] = secrets;
    expect(secrets.every((secret) => secret['immutable'] === true)).toBe(true);
    expect(dataOf(variables)).toMatchObject({
      TOKEN: 'geheim',
      SLIPWAY_REVISION: 'orders-7',
      SLIPWAY_REGION: 'WESTEUROPE',
      PORT: '8080',
      HOST: '0.0.0.0',
    });
    expect(dataOf(files)).toEqual({ 'file-0': 'one', 'file-1': 'two' });
    expect(JSON.stringify(podOf())).not.toContain('geheim');
    const again = revisionObjects(settings, { ...spec, env: { TOKEN: 'another' } }, []).secrets[0];
    expect(again?.metadata.name).not.toBe(variables?.metadata.name);
    const reused = revisionObjects(settings, { ...spec, id: 'another row' }, []).secrets[0];
    expect(reused?.metadata.name).not.toBe(variables?.metadata.name);
    expect(podOf().containers[0]?.['volumeMounts']).toContainEqual({
      name: 'files-0',
      mountPath: '/run/secrets/db/pass word',
      subPath: 'pass word',
      readOnly: true,
    });
  });

  test('has a disruption budget only with several instances, and an egress policy only with targets', () => {
    const kinds = (change: Partial<RevisionSpec>, rules: Parameters<typeof revisionObjects>[2]) =>
      revisionObjects(settings, { ...spec, ...change }, rules).others.map(({ kind }) => kind);
    expect(kinds({}, [])).toEqual(['PodDisruptionBudget']);
    expect(kinds({ replicas: 1 }, [{ to: [] }])).toEqual(['NetworkPolicy']);
  });

  test('counts health checks in whole seconds and gives a slow start its time', () => {
    const health = { ...spec.health!, periodSeconds: 0.1, timeoutSeconds: 1.5, successThreshold: 3, failureThreshold: 2 };
    const { livenessProbe, readinessProbe, startupProbe } = probesOf({ exposedPort: 8080, health });
    expect(readinessProbe).toMatchObject({ periodSeconds: 1, timeoutSeconds: 2, successThreshold: 3, failureThreshold: 2 });
    expect(livenessProbe).toMatchObject({ successThreshold: 1, failureThreshold: 6 });
    expect(startupProbe).toMatchObject({ successThreshold: 1, failureThreshold: 120 });
    expect(probesOf({ exposedPort: 8080, health: undefined }).readinessProbe).toMatchObject({ tcpSocket: { port: 8080 } });
    expect(probesOf({ exposedPort: undefined, health: undefined })).toEqual({});
  });
});

test('an environment denies by default and opens to the edge, to itself and to DNS', () => {
  const objects = environmentObjects(environment, spec);
  expect(objects[0]).toMatchObject({
    kind: 'Namespace',
    metadata: { name: 'shop-development', labels: { 'pod-security.kubernetes.io/enforce': 'restricted', 'slipway.dev/platform': 'mark' } },
  });
  const policies = Object.fromEntries(
    objects.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => [one.metadata.name, one['spec']]),
  );
  expect(policies['slipway-deny']).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  expect(policies['slipway-edge']).toMatchObject({
    ingress: [
      {
        from: [
          { ipBlock: { cidr: '10.0.0.7/32' } },
          { ipBlock: { cidr: '10.1.0.0/16' } },
          { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'slipway' } } },
        ],
      },
    ],
  });
});

describe('outgoing traffic', () => {
  const answers: Readonly<Record<string, readonly string[]>> = {
    'api.example.com': ['93.184.216.35', '93.184.216.34'],
    'rebound.example.com': ['10.0.0.5', '93.184.216.34'],
    'wiki.internal': ['10.0.0.9'],
  };
  const resolve = async (host: string): Promise<readonly string[]> => {
    const found = answers[host];
    if (!found) throw new Error('ENOTFOUND');
    return found;
  };
  const rules = (egress: string[], inside: string[] = []) => egressRules({ egress }, { inside, resolve });
  const block = (address: string) => ({ ipBlock: { cidr: `${address}/32` } });
  const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: 'TCP', port }));

  test('names become addresses; patterns and unknown names are left out', async () => {
    expect(await rules(['api.example.com:5432', 'gone.example.com', '*.example.com'])).toEqual([
      { to: [block('93.184.216.34'), block('93.184.216.35')], ports: tcp(5432) },
    ]);
    expect((await rules(['api.example.com']))[0]?.ports).toEqual(tcp(80, 443));
    expect(await rules(['*'])).toMatchObject([{ to: [{ ipBlock: { except: expect.arrayContaining(['10.0.0.0/8']) as string[] } }, {}] }]);
  });

  test('a name leads inside only if an administrator has listed it', async () => {
    expect(await rules(['rebound.example.com:443'])).toEqual([{ to: [block('93.184.216.34')], ports: tcp(443) }]);
    expect(await rules(['wiki.internal'])).toEqual([]);
    expect(await rules(['wiki.internal'], ['wiki.internal:443'])).toEqual([{ to: [block('10.0.0.9')], ports: tcp(443) }]);
    expect(await rules(['wiki.internal:22'], ['wiki.internal'])).toEqual([]);
  });

  test('servers of databases and brokers may be inside', async () => {
    const broker = { host: '10.0.0.7', port: 9092 };
    expect(await egressRules({ brokers: [broker] }, { inside: [], resolve })).toEqual([{ to: [block('10.0.0.7')], ports: tcp(9092) }]);
  });

  test('a database whose name does not resolve makes the write wait instead of cutting its instances off', async () => {
    const fails = () => Promise.reject(new Error('getaddrinfo EAI_AGAIN'));
    await expect(
      egressRules({ databases: [{ host: 'db.example.com', port: 5432 }] }, { inside: [], resolve: fails }),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

const cluster = testCluster();
test.skipIf(!cluster)('a cluster accepts every object, and rejects a misspelled field', async () => {
  const api = await ClusterApi.open({ kubeconfig: cluster?.kubeconfig, context: undefined });
  const inDefault = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
  const rules = await egressRules({ egress: ['93.184.216.34', '*'] }, { inside: [], resolve: async () => [] });
  const { deployment, others, secrets } = revisionObjects(settings, spec, rules);
  const [namespace, ...rest] = environmentObjects(environment, spec);
  expect(await api.apply(namespace!, { isDryRun: true })).toMatchObject({ kind: 'Namespace' });
  const owner = { ...deployment, metadata: { ...deployment.metadata, uid: '11111111-1111-4111-8111-111111111111' } };
  const objects = [
    ...rest,
    serviceAccount('mark', spec),
    clusterService('mark', spec, 'orders-7'),
    deployment,
    ...[...secrets, ...others].map((object) => ownedBy(object, owner)),
  ];
  for (const object of objects) expect((await api.apply(inDefault(object), { isDryRun: true })).kind).toBe(object.kind);
  const misspelled = { ...inDefault(deployment), spec: { ...(deployment['spec'] as object), replicaz: 1 } };
  await expect(api.apply(misspelled, { isDryRun: true })).rejects.toThrow(/replicaz/);
});
