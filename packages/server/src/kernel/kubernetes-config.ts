/** Settings of the environment for services on Kubernetes: the clusters by region, and how nodes and the edge reach each other. */
import { REGIONS } from './config/setting.ts';
import type { Variables } from './config/settings.ts';
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

const quotaOf = (text: string): Record<string, string> => {
  const entries = text.split(',').map((part) => part.trim().split('='));
  for (const [name = '', value = '', ...rest] of entries)
    if (!/^[a-z][a-z./-]*$/.test(name) || !/^\d+(?:\.\d+)?[A-Za-z]{0,2}$/.test(value) || rest.length > 0)
      throw new ConfigError('SLIPWAY_KUBERNETES_QUOTA: must be like pods=200,requests.cpu=32,limits.memory=64Gi');
  return Object.fromEntries(entries);
};

export const runtimeOf = (data: Variables, publicUrl: string): RuntimeConfig => {
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
