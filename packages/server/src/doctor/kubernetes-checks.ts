/** Checks Kubernetes clusters: the API server, its version, and every right of deploy/kubernetes/rbac.yaml. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { ClusterApi } from '#adapters/runtime-kubernetes/api/cluster-api.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { KubernetesConfig } from '#kernel/kubernetes-config.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { isPortFailure } from '#ports/failure.ts';
import { causeOf, type Check, type ChecksOf, type Findings } from './check.ts';

const OLDEST_MINOR = 34;
const rbacFile = resolve(import.meta.dirname, '../../../../deploy/kubernetes/rbac.yaml');

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Reads the rights from the ClusterRole that the documents tell operators to apply. */
export const neededRights = (): readonly Right[] => {
  const rules = parseAllDocuments(readFileSync(rbacFile, 'utf8')).flatMap((document) => {
    const object: unknown = document.toJS();
    return isRecord(object) && object['kind'] === 'ClusterRole' && Array.isArray(object['rules']) ? object['rules'].filter(isRecord) : [];
  });
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    texts(apiGroups).flatMap((group) => texts(resources).flatMap((resource) => texts(verbs).map((verb) => ({ group, resource, verb })))),
  );
};

const isAllowed = async (api: ClusterApi, { group, resource, verb }: Right): Promise<boolean> => {
  const [name = '', subresource] = resource.split('/');
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, resource: name, verb, ...(subresource === undefined ? {} : { subresource }) } },
  };
  const answer = await api.review('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
  const status = isRecord(answer) ? answer['status'] : undefined;
  return isRecord(status) && status['allowed'] === true;
};

const rights = async (api: ClusterApi, findings: Findings): Promise<void> => {
  const needed = neededRights();
  const verdicts = await mapLimited(needed, (right) => isAllowed(api, right), 8);
  const lacking = new Map<string, string[]>();
  for (const [index, { group, resource, verb }] of needed.entries()) {
    const name = group === '' ? resource : `${resource}.${group}`;
    if (!verdicts[index]) lacking.set(name, [...(lacking.get(name) ?? []), verb]);
  }
  if (lacking.size === 0) findings.ok(`The account has all ${needed.length} rights of deploy/kubernetes/rbac.yaml.`);
  for (const [name, verbs] of lacking)
    findings.failed(
      `The account may not ${verbs.join(', ')} ${name} in all namespaces.`,
      'Run: kubectl apply -f deploy/kubernetes/rbac.yaml, and use the account slipway of the namespace slipway.',
    );
};

const version = async (api: ClusterApi, findings: Findings): Promise<boolean> => {
  let found: unknown;
  try {
    found = await api.get('/version');
  } catch (error) {
    const said = [...new Set([errorMessage(error), causeOf(error)])].join(' ');
    const isCredential = /\b401\b|credentials/.test(said);
    findings.failed(
      said,
      isCredential
        ? 'The credentials of the kubeconfig are wrong or have expired. Write a new token into it.'
        : 'Correct the server in the kubeconfig, or open the way from this machine to it.',
    );
    return false;
  }
  const { gitVersion, minor } = isRecord(found) ? found : {};
  const number = Number.parseInt(String(minor), 10);
  if (number < OLDEST_MINOR) findings.failed(`It is Kubernetes ${String(gitVersion)}.`, `Use Kubernetes 1.${OLDEST_MINOR} or newer.`);
  else findings.ok(`Kubernetes ${String(gitVersion)} answers.`);
  return true;
};

const clusterCheck = (region: string, config: KubernetesConfig): Check => ({
  subject: region === '*' ? 'kubernetes' : `kubernetes ${region}`,
  run: async (findings) => {
    let api: ClusterApi;
    try {
      api = await ClusterApi.open({ kubeconfig: config.kubeconfig, context: config.contexts[region] });
    } catch (error) {
      return findings.failed(
        `The kubeconfig cannot be used: ${errorMessage(error)}`,
        'Correct SLIPWAY_KUBERNETES_KUBECONFIG or the context. kubectl config get-contexts lists the contexts.',
      );
    }
    if (!(await version(api, findings))) return;
    await rights(api, findings);
    await api.get('/apis/metrics.k8s.io/v1beta1').then(
      () => findings.ok('The cluster has a metrics API.'),
      (error: unknown) => {
        if (!isPortFailure(error, 'notFound') && !isPortFailure(error, 'unavailable')) throw error;
        findings.warning(
          'The cluster has no metrics API: CPU and memory are not shown, and services do not scale by CPU.',
          'Install metrics-server.',
        );
      },
    );
  },
});

export const kubernetesChecks: ChecksOf = ({ runtime }) =>
  runtime.kind === 'kubernetes' ? Object.keys(runtime.contexts).map((region) => clusterCheck(region, runtime)) : [];
