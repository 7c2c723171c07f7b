/**
 * Objects of a revision: one Deployment with an immutable template, its Secrets, its policy for outgoing connections, and a disruption
 * budget. The Secrets are immutable and their names contain a digest of their content.
 */
import { posix } from 'node:path';
import type { V1NetworkPolicyEgressRule, V1PodSpec, V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { RevisionSpec } from '#ports/runtime.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { PULL_SECRET } from './environment-objects.ts';
import { CONTAINER, digestOf, LABEL, namespaceOf, PORT_NAME, REGION, REVISION_ID, revisionLabels } from './names.ts';
import { probesOf } from './probes.ts';
import { accountName } from './service-objects.ts';

export interface RevisionSettings {
  readonly mark: string;
  /** Host and port under which nodes reach the registry. */
  readonly registryHost: string;
  readonly hasPullSecret: boolean;
  /** Delay before SIGTERM. Meanwhile the edge and kube-proxy learn that the pod leaves. */
  readonly drainSeconds: number;
  /** CPU that is reserved on a node, in percent of the limit. */
  readonly cpuRequestPercent: number;
}

/** A fixed user, because an image may name its user as text, which Kubernetes cannot check. */
const USER = 10_001;
const TEMPORARY = '/tmp';
const MOST_TEMPORARY = 256;

interface NamedSecret {
  readonly secret: KubeObject;
  readonly name: string;
}

const secretOf = ({ mark }: RevisionSettings, spec: RevisionSpec, use: string, content: Readonly<Record<string, string>>): NamedSecret => {
  // The row's id separates revisions that reuse a name.
  const name = `${spec.revision}-${use}-${digestOf(JSON.stringify([spec.id, content])).slice(0, 10)}`;
  const data = Object.fromEntries(Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  const metadata = { name, namespace: namespaceOf(spec), labels: revisionLabels(mark, spec) };
  return { name, secret: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', immutable: true, data } };
};

/** Variables with the engine's own, which services cannot override. */
export const environmentOf = (spec: RevisionSpec): Record<string, string> => ({
  ...spec.env,
  SLIPWAY_ENVIRONMENT: spec.environment,
  SLIPWAY_SERVICE: spec.service,
  SLIPWAY_REVISION: spec.revision,
  ...(spec.region === undefined ? {} : { SLIPWAY_REGION: spec.region }),
  ...(spec.exposedPort === undefined ? {} : { PORT: String(spec.exposedPort), HOST: '0.0.0.0' }),
});

interface Mounted {
  readonly secrets: readonly NamedSecret[];
  readonly volumes: V1Volume[];
  readonly volumeMounts: V1VolumeMount[];
}
/** File names may contain characters that keys of Secrets may not, so keys are numbers. */
const mounted = (settings: RevisionSettings, spec: RevisionSpec): Mounted => {
  const mounts = spec.files.map(({ mountPath, files }, index) => {
    const names = Object.keys(files);
    const content = Object.fromEntries(Object.values(files).map((text, at) => [`file-${at}`, text]));
    const named = secretOf(settings, spec, `files-${index}`, content);
    const items = names.map((path, at) => ({ key: `file-${at}`, path }));
    const name = `files-${index}`;
    const volume: V1Volume = { name, secret: { secretName: named.name, items, defaultMode: 0o440 } };
    // Each file is mounted by itself: a mounted directory would also show the kubelet's own entries.
    const paths = names.map((file) => ({ name, mountPath: posix.join(mountPath, file), subPath: file, readOnly: true }));
    return { named, volume, paths };
  });
  return {
    secrets: mounts.map(({ named }) => named),
    volumes: mounts.map(({ volume }) => volume),
    volumeMounts: mounts.flatMap(({ paths }) => paths),
  };
};

/** The temporary directory may fill half of the memory limit, as in the embedded runtime. */
const temporary = (memoryMegabytes: number): V1Volume => ({
  name: 'tmp',
  emptyDir: { medium: 'Memory', sizeLimit: `${Math.min(MOST_TEMPORARY, Math.floor(memoryMegabytes / 2))}Mi` },
});

const podSpec = (settings: RevisionSettings, spec: RevisionSpec, variables: NamedSecret, files: Mounted): V1PodSpec => {
  const { drainSeconds, hasPullSecret, registryHost } = settings;
  const { cpuMillicores, exposedPort, image, memoryMegabytes, stopGraceSeconds } = spec;
  const memory = `${memoryMegabytes}Mi`;
  return {
    serviceAccountName: accountName(spec),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The program is not process 1, so SIGTERM ends it even if it has no handler.
    shareProcessNamespace: true,
    ...(hasPullSecret ? { imagePullSecrets: [{ name: PULL_SECRET }] } : {}),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    // The kubelet counts the delay before SIGTERM as part of the grace period.
    terminationGracePeriodSeconds: drainSeconds + Math.max(1, Math.ceil(stopGraceSeconds)),
    containers: [
      {
        name: CONTAINER,
        image: `${registryHost}/${image.repository}@${image.digest}`,
        envFrom: [{ secretRef: { name: variables.name } }],
        ...(exposedPort === undefined ? {} : { ports: [{ name: PORT_NAME, containerPort: exposedPort, protocol: 'TCP' }] }),
        resources: {
          requests: { cpu: millicores(Math.max(1, Math.round((cpuMillicores * settings.cpuRequestPercent) / 100))), memory },
          limits: { cpu: millicores(cpuMillicores), memory },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        ...(drainSeconds > 0 ? { lifecycle: { preStop: { sleep: { seconds: drainSeconds } } } } : {}),
        ...probesOf(spec),
        volumeMounts: [{ name: 'tmp', mountPath: TEMPORARY }, ...files.volumeMounts],
      },
    ],
    volumes: [temporary(memoryMegabytes), ...files.volumes],
  };
};
/** The API server stores whole cores without the unit. The comparison with stored objects needs the same form. */
const millicores = (value: number): string => (value % 1000 === 0 ? String(value / 1000) : `${value}m`);

const deployment = (settings: RevisionSettings, spec: RevisionSpec, pod: V1PodSpec): KubeObject => {
  const labels = revisionLabels(settings.mark, spec);
  const annotations = { [REVISION_ID]: spec.id, ...(spec.region === undefined ? {} : { [REGION]: spec.region }) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: spec.revision, namespace: namespaceOf(spec), labels, annotations },
    spec: {
      replicas: spec.replicas,
      // Rollouts create another Deployment, so this one never changes its template.
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { [LABEL.service]: spec.service, [LABEL.revision]: spec.revision } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: { metadata: { labels, annotations }, spec: pod },
    },
  };
};

const egressPolicy = ({ mark }: RevisionSettings, spec: RevisionSpec, egress: V1NetworkPolicyEgressRule[]): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: spec.revision, namespace: namespaceOf(spec), labels: revisionLabels(mark, spec) },
  spec: {
    podSelector: { matchLabels: { [LABEL.service]: spec.service, [LABEL.revision]: spec.revision } },
    policyTypes: ['Egress'],
    egress,
  },
});

const disruptionBudget = ({ mark }: RevisionSettings, spec: RevisionSpec): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: spec.revision, namespace: namespaceOf(spec), labels: revisionLabels(mark, spec) },
  spec: { maxUnavailable: 1, selector: { matchLabels: { [LABEL.service]: spec.service, [LABEL.revision]: spec.revision } } },
});

export interface RevisionObjects {
  readonly deployment: KubeObject;
  readonly secrets: readonly KubeObject[];
  /** Objects that the Deployment owns besides its Secrets. */
  readonly others: readonly KubeObject[];
}
export function revisionObjects(settings: RevisionSettings, spec: RevisionSpec, egress: V1NetworkPolicyEgressRule[]): RevisionObjects {
  const variables = secretOf(settings, spec, 'env', environmentOf(spec));
  const files = mounted(settings, spec);
  return {
    deployment: deployment(settings, spec, podSpec(settings, spec, variables, files)),
    secrets: [variables, ...files.secrets].map(({ secret }) => secret),
    // With one instance, a budget would block the draining of nodes.
    others: [
      ...(egress.length > 0 ? [egressPolicy(settings, spec, egress)] : []),
      ...(spec.replicas > 1 ? [disruptionBudget(settings, spec)] : []),
    ],
  };
}

/** Makes another object the owner, so that the cluster deletes the object with it. */
export const ownedBy = (object: KubeObject, { apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
  },
});
