/** Settings of the environment for services on Kubernetes: the clusters by region, and how nodes and the edge reach each other. */
import net from 'node:net';
import { ConfigError } from './config-error.ts';

export interface KubernetesConfig {
  readonly kind: 'kubernetes';
  /** Undefined uses the account of the pod in which the server runs, or the user's default file. */
  readonly kubeconfig: string | undefined;
  /** Contexts of the kubeconfig by region. `*` is the cluster of all regions. */
  readonly contexts: Readonly<Record<string, string | undefined>>;
  /** Host and port under which nodes reach the platform's registry. */
  readonly registryHost: string;
  readonly edgeSources: readonly string[];
  /** The server's own pod as `namespace/name`. Undefined outside clusters. */
  readonly pod: string | undefined;
  readonly quota: Readonly<Record<string, string>>;
  readonly cpuRequestPercent: number;
}
export type RuntimeConfig = { readonly kind: 'embedded' } | KubernetesConfig;

const CONTEXT = 'SLIPWAY_KUBERNETES_CONTEXT_';
const REGIONS = ['WESTEUROPE', 'NORTHEUROPE', 'CENTRALUS'] as const;

/** Variables as parsed by the schema. */
export type KubernetesVariables = {
  readonly SLIPWAY_RUNTIME: 'embedded' | 'kubernetes';
  readonly SLIPWAY_KUBERNETES_KUBECONFIG?: string | undefined;
  readonly SLIPWAY_KUBERNETES_CONTEXT?: string | undefined;
  readonly SLIPWAY_KUBERNETES_REGISTRY?: string | undefined;
  readonly SLIPWAY_KUBERNETES_EDGE_SOURCES: readonly string[];
  readonly SLIPWAY_KUBERNETES_POD?: string | undefined;
  readonly SLIPWAY_KUBERNETES_QUOTA: string;
  readonly SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: number;
} & { readonly [Name in `${typeof CONTEXT}${(typeof REGIONS)[number]}`]?: string | undefined };

/** Accepts an address, a network, or `namespace:<name>`. */
export const isEdgeSource = (entry: string): boolean => {
  if (/^namespace:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(entry)) return true;
  const [address = '', bits, ...rest] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[net.isIP(address)] ?? -1;
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};

const quotaOf = (text: string): Record<string, string> => {
  const entries = text.split(',').map((part) => part.trim().split('='));
  for (const [name = '', value = '', ...rest] of entries)
    if (!/^[a-z][a-z./-]*$/.test(name) || !/^\d+(?:\.\d+)?[A-Za-z]{0,2}$/.test(value) || rest.length > 0)
      throw new ConfigError('SLIPWAY_KUBERNETES_QUOTA: must be like pods=200,requests.cpu=32,limits.memory=64Gi');
  return Object.fromEntries(entries);
};

export const runtimeOf = (data: KubernetesVariables, publicUrl: string): RuntimeConfig => {
  if (data.SLIPWAY_RUNTIME === 'embedded') {
    if (data.SLIPWAY_KUBERNETES_EDGE_SOURCES.length > 0 || data.SLIPWAY_KUBERNETES_KUBECONFIG !== undefined)
      throw new ConfigError('SLIPWAY_KUBERNETES_… is for SLIPWAY_RUNTIME=kubernetes');
    return { kind: 'embedded' };
  }
  if (data.SLIPWAY_KUBERNETES_EDGE_SOURCES.length === 0)
    throw new ConfigError(
      'SLIPWAY_RUNTIME=kubernetes needs SLIPWAY_KUBERNETES_EDGE_SOURCES: the addresses from which this server reaches pods, or namespace:<name>',
    );
  const byRegion = Object.fromEntries(
    REGIONS.flatMap((region) => (data[`${CONTEXT}${region}`] === undefined ? [] : [[region, data[`${CONTEXT}${region}`]]])),
  );
  const hasRegions = Object.keys(byRegion).length > 0;
  if (hasRegions && data.SLIPWAY_KUBERNETES_CONTEXT !== undefined)
    throw new ConfigError(`SLIPWAY_KUBERNETES_CONTEXT is the cluster of all regions. Set it or ${CONTEXT}…, not both`);
  return {
    kind: 'kubernetes',
    kubeconfig: data.SLIPWAY_KUBERNETES_KUBECONFIG,
    contexts: hasRegions ? byRegion : { '*': data.SLIPWAY_KUBERNETES_CONTEXT },
    registryHost: data.SLIPWAY_KUBERNETES_REGISTRY ?? new URL(publicUrl).host,
    edgeSources: data.SLIPWAY_KUBERNETES_EDGE_SOURCES,
    pod: data.SLIPWAY_KUBERNETES_POD,
    quota: quotaOf(data.SLIPWAY_KUBERNETES_QUOTA),
    cpuRequestPercent: data.SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT,
  };
};
