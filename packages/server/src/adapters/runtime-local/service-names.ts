/** The names by which the runtime keeps services and revisions, and the host name under which the edge serves a service. */
import type { RevisionRef, ServiceRef } from '#ports/runtime.ts';

export const serviceKey = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;

export const revisionKey = (ref: RevisionRef): string => `${serviceKey(ref)}/${ref.revision}`;

/** Browsers resolve every name below `localhost` to this machine. */
export const serviceHost = ({ app, environment, service }: ServiceRef): string => `${service}.${app}.${environment}.localhost`;

/** The address under which the edge serves the service. */
export const serviceAddress = (ref: ServiceRef, ingressPort: number, basePath: string): string =>
  `http://${serviceHost(ref)}:${ingressPort}${basePath === '' ? '/' : basePath}`;

export const revisionRef = ({ app, environment, service, revision }: RevisionRef): RevisionRef => ({ app, environment, service, revision });
