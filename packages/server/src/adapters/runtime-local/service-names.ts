/** Names under which the runtime keeps services and revisions, and the host name that the edge serves. */
import { resolve } from 'node:path';
import type { RevisionRef, ServiceRef } from '#ports/runtime.ts';

export const serviceKey = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;

export const revisionKey = (ref: RevisionRef): string => `${serviceKey(ref)}/${ref.revision}`;

/** Browsers resolve every name below `localhost` to this machine. */
export const serviceHost = ({ app, environment, service }: ServiceRef): string => `${service}.${app}.${environment}.localhost`;

/** Returns the key of a service's user. Includes the data directory: two servers on one machine may have services of the same name. */
export const serviceUser = (dataDir: string, ref: ServiceRef): string => `${resolve(dataDir)} ${serviceKey(ref)}`;

/** Returns the URL at which the edge serves the service. */
export const serviceAddress = (ref: ServiceRef, ingressPort: number, basePath: string): string =>
  `http://${serviceHost(ref)}:${ingressPort}${basePath === '' ? '/' : basePath}`;

export const revisionRef = ({ app, environment, service, revision }: RevisionRef): RevisionRef => ({ app, environment, service, revision });
