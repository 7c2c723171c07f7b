/** Objects as the API server sends and accepts them, and the paths of the kinds that Slipway uses. */

export interface KubeMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly object[];
  readonly managedFields?: readonly object[] | undefined;
}
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeMetadata;
  readonly [field: string]: unknown;
}
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isClusterWide?: true;
}
const core = (kind: string, plural: string): Resource => ({ apiVersion: 'v1', kind, plural });
export const RESOURCES = {
  Namespace: { ...core('Namespace', 'namespaces'), isClusterWide: true },
  ResourceQuota: core('ResourceQuota', 'resourcequotas'),
  LimitRange: core('LimitRange', 'limitranges'),
  Secret: core('Secret', 'secrets'),
  ServiceAccount: core('ServiceAccount', 'serviceaccounts'),
  Service: core('Service', 'services'),
  Pod: core('Pod', 'pods'),
  Event: core('Event', 'events'),
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
} as const satisfies Record<string, Resource>;
export type KubeKind = keyof typeof RESOURCES;

export const isKubeKind = (kind: string): kind is KubeKind => Object.hasOwn(RESOURCES, kind);

/** Returns the path of a kind in a namespace, or in the whole cluster. */
export function pathOf({ apiVersion, isClusterWide, plural }: Resource, namespace?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined || isClusterWide ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}
export function pathOfObject({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  if (!isKubeKind(kind)) throw new Error(`Slipway does not manage objects of kind ${kind}`);
  return `${pathOf(RESOURCES[kind], metadata.namespace)}/${metadata.name}`;
}
