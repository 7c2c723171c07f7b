/**
 * Objects of an app's environment: a namespace with the "restricted" Pod Security level, a quota, default limits, network policies that deny
 * by default, and the registry's pull secret.
 */
import { isIP } from 'node:net';
import type { ServiceRef } from '#ports/runtime.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { environmentLabels, namespaceOf } from './names.ts';

export interface EnvironmentSettings {
  readonly mark: string;
  /** Hard limits of each namespace by resource name, such as `requests.cpu`. */
  readonly quota: Readonly<Record<string, string>>;
  /** Sources of the edge's connections: addresses or networks, or `namespace:<name>` for an edge inside the cluster. */
  readonly edgeSources: readonly string[];
  /** Undefined if the registry needs no sign-in. */
  readonly pull: PullAccess | undefined;
}
export interface PullAccess {
  /** Host and port under which nodes reach the registry. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
}
export type EnvironmentRef = Pick<ServiceRef, 'app' | 'environment'>;

export const PULL_SECRET = 'slipway-pull';
const RESTRICTED = 'restricted';
const DNS_PORTS = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
];
const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespace = ({ mark }: EnvironmentSettings, ref: EnvironmentRef): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespaceOf(ref),
    labels: {
      ...environmentLabels(mark, ref),
      'pod-security.kubernetes.io/enforce': RESTRICTED,
      'pod-security.kubernetes.io/warn': RESTRICTED,
      'pod-security.kubernetes.io/audit': RESTRICTED,
    },
  },
});

const quota = ({ mark, quota: hard }: EnvironmentSettings, ref: EnvironmentRef): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'slipway', namespace: namespaceOf(ref), labels: environmentLabels(mark, ref) },
  spec: { hard: { ...hard } },
});

/** Pods of others in the namespace would be rejected without limits, because the quota counts them. */
const limitRange = ({ mark }: EnvironmentSettings, ref: EnvironmentRef): KubeObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'slipway', namespace: namespaceOf(ref), labels: environmentLabels(mark, ref) },
  spec: {
    limits: [{ type: 'Container', default: { cpu: '250m', memory: '256Mi' }, defaultRequest: { cpu: '50m', memory: '64Mi' } }],
  },
});

const policy = ({ mark }: EnvironmentSettings, ref: EnvironmentRef, name: string, spec: object): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace: namespaceOf(ref), labels: environmentLabels(mark, ref) },
  spec,
});

const edgePeer = (source: string): object => {
  if (source.startsWith('namespace:')) return { namespaceSelector: { matchLabels: { [NAME_LABEL]: source.slice('namespace:'.length) } } };
  if (source.includes('/')) return { ipBlock: { cidr: source } };
  return { ipBlock: { cidr: `${source}/${isIP(source) === 6 ? 128 : 32}` } };
};

const policies = (settings: EnvironmentSettings, ref: EnvironmentRef): KubeObject[] => [
  policy(settings, ref, 'slipway-deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy(settings, ref, 'slipway-same-namespace', {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ podSelector: {} }] }],
    egress: [{ to: [{ podSelector: {} }] }],
  }),
  policy(settings, ref, 'slipway-dns', {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [{ to: [{ namespaceSelector: { matchLabels: { [NAME_LABEL]: 'kube-system' } } }], ports: DNS_PORTS }],
  }),
  policy(settings, ref, 'slipway-edge', {
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [{ from: settings.edgeSources.map(edgePeer) }],
  }),
];

/** Contains a credential that may only pull images. */
const pullSecret = ({ mark }: EnvironmentSettings, ref: EnvironmentRef, { host, username, password }: PullAccess): KubeObject => {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PULL_SECRET, namespace: namespaceOf(ref), labels: environmentLabels(mark, ref) },
    type: 'kubernetes.io/dockerconfigjson',
    data: {
      '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: { [host]: { username, password, auth } } })).toString('base64'),
    },
  };
};

/** Returns all objects of an environment, in the order in which they must be applied. */
export const environmentObjects = (settings: EnvironmentSettings, ref: EnvironmentRef): KubeObject[] => [
  namespace(settings, ref),
  // Policies first: no pod may start before connections are denied.
  ...policies(settings, ref),
  quota(settings, ref),
  limitRange(settings, ref),
  ...(settings.pull ? [pullSecret(settings, ref, settings.pull)] : []),
];
