/** Names and labels of Slipway's objects in a cluster. */
import { createHash } from 'node:crypto';
import type { RevisionRef, ServiceRef } from '#ports/runtime.ts';
import type { KubeMetadata } from '../api/kube-object.ts';

/** Field manager of everything that Slipway applies. */
export const MANAGER = 'slipway';
export const CONTAINER = 'app';
/** Name of the container port that Services refer to. */
export const PORT_NAME = 'http';

export const LABEL = {
  platform: 'slipway.dev/platform',
  app: 'slipway.dev/app',
  environment: 'slipway.dev/environment',
  service: 'slipway.dev/service',
  revision: 'slipway.dev/revision',
} as const;
/** Annotation with the id of the revision's row. A row's id may contain characters that labels may not. */
export const REVISION_ID = 'slipway.dev/revision-id';
/** Annotation with the region that the service's settings name. */
export const REGION = 'slipway.dev/region';

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Marks the objects of one platform, so that two platforms can share a cluster. */
export const platformMark = (publicUrl: string): string => digestOf(publicUrl).slice(0, 16);

type EnvironmentRef = Pick<ServiceRef, 'app' | 'environment'>;
export const namespaceOf = ({ app, environment }: EnvironmentRef): string => `${app}-${environment}`;

export const environmentLabels = (mark: string, { app, environment }: EnvironmentRef): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'slipway',
  [LABEL.platform]: mark,
  [LABEL.app]: app,
  [LABEL.environment]: environment,
});
export const serviceLabels = (mark: string, ref: ServiceRef): Record<string, string> => ({
  ...environmentLabels(mark, ref),
  'app.kubernetes.io/name': ref.service,
  [LABEL.service]: ref.service,
});
export const revisionLabels = (mark: string, ref: RevisionRef): Record<string, string> => ({
  ...serviceLabels(mark, ref),
  [LABEL.revision]: ref.revision,
});

type Labeled = Pick<KubeMetadata, 'labels' | 'namespace'>;
/**
 * Returns the service that an object's labels name, or undefined for an object of somebody else. Anybody may set labels in a namespace of his
 * own, so an object belongs to a service only in the service's namespace: a pod elsewhere must not receive the service's requests.
 */
export function serviceOf({ labels, namespace }: Labeled): ServiceRef | undefined {
  const { [LABEL.app]: app, [LABEL.environment]: environment, [LABEL.service]: service } = labels ?? {};
  if (app === undefined || service === undefined) return undefined;
  if (environment !== 'development' && environment !== 'production') return undefined;
  return namespace === namespaceOf({ app, environment }) ? { app, environment, service } : undefined;
}
export function revisionOf(metadata: Labeled): RevisionRef | undefined {
  const service = serviceOf(metadata);
  const revision = metadata.labels?.[LABEL.revision];
  return service && revision !== undefined ? { ...service, revision } : undefined;
}
