/** Reads facts from a live Deployment. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { KubeObject } from '../api/kube-object.ts';

interface DeploymentSpec {
  readonly replicas?: number;
  readonly template?: {
    readonly spec?: {
      readonly containers?: readonly {
        readonly ports?: readonly object[];
        readonly envFrom?: readonly { readonly secretRef?: { readonly name: string } }[];
      }[];
      readonly volumes?: readonly { readonly secret?: { readonly secretName?: string } }[];
    };
  };
}
const specOf = ({ spec }: KubeObject): DeploymentSpec => (isRecord(spec) ? spec : {});
export const replicasOf = (deployment: KubeObject): number => specOf(deployment).replicas ?? 0;
export const hasPort = (deployment: KubeObject): boolean => (specOf(deployment).template?.spec?.containers?.[0]?.ports ?? []).length > 0;
/** Returns the names of the Secrets that the template refers to. */
export const secretsOf = (deployment: KubeObject): string[] => {
  const { containers = [], volumes = [] } = specOf(deployment).template?.spec ?? {};
  const variables = containers.flatMap(({ envFrom = [] }) => envFrom.flatMap(({ secretRef }) => secretRef?.name ?? []));
  return [...variables, ...volumes.flatMap(({ secret }) => secret?.secretName ?? [])];
};
