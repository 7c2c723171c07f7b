/** Objects of a service that outlive its revisions: the identity of its pods, and its address inside the cluster. */
import type { ServiceRef } from '#ports/runtime.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { LABEL, namespaceOf, PORT_NAME, serviceLabels } from './names.ts';

/** Has no token: programs of services do not call the API server. */
export const serviceAccount = (mark: string, ref: ServiceRef): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: accountName(ref), namespace: namespaceOf(ref), labels: serviceLabels(mark, ref) },
  automountServiceAccountToken: false,
});
/** Not the service's bare name: every namespace has an account named `default`. */
export const accountName = ({ service }: ServiceRef): string => `service-${service}`;

/** Gives the service an address inside its namespace, `http://<service>`. It selects the revision that has the traffic. */
export const clusterService = (mark: string, ref: ServiceRef, revision: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: ref.service, namespace: namespaceOf(ref), labels: serviceLabels(mark, ref) },
  spec: {
    type: 'ClusterIP',
    selector: { [LABEL.service]: ref.service, [LABEL.revision]: revision },
    ports: [{ name: PORT_NAME, protocol: 'TCP', port: 80, targetPort: PORT_NAME }],
  },
});
