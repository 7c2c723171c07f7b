/** Asks an API server for its version. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { causeOf, errorMessage } from '#kernel/caught.ts';
import type { Findings } from '#ports/engine-probe.ts';
import { ClusterApi, type ClusterSource } from './cluster-api.ts';

const OLDEST_MINOR = 34;

/** Undefined if the kubeconfig cannot be used. */
export const openCluster = async (source: ClusterSource, findings: Findings): Promise<ClusterApi | undefined> => {
  try {
    return await ClusterApi.open(source);
  } catch (error) {
    findings.failed(
      `The kubeconfig cannot be used: ${errorMessage(error)}`,
      'Correct SLIPWAY_KUBERNETES_KUBECONFIG or the context. kubectl config get-contexts lists the contexts.',
    );
    return undefined;
  }
};

/** Resolves to the version, or undefined if the server does not answer or refuses the account. */
export const probeCluster = async (api: ClusterApi, findings: Findings): Promise<string | undefined> => {
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
    return undefined;
  }
  const { gitVersion, minor } = isRecord(found) ? found : {};
  const version = typeof gitVersion === 'string' ? gitVersion : 'of an unknown version';
  if (Number.parseInt(String(minor), 10) < OLDEST_MINOR)
    findings.failed(`It is Kubernetes ${version}.`, `Use Kubernetes 1.${OLDEST_MINOR} or newer.`);
  else findings.ok(`Kubernetes ${version} answers.`);
  return version;
};
