/** Names of services at the edge: their keys, host names and URLs. */
import type { ServiceRef } from '@slipway/foundation/ports/runtime.ts';

export const serviceKey = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;

/** Browsers resolve every name below `localhost` to this machine. */
export const serviceHost = ({ app, environment, service }: ServiceRef): string => `${service}.${app}.${environment}.localhost`;

/** Returns the URL at which the edge serves the service. */
export const serviceAddress = (ref: ServiceRef, ingressPort: number, basePath: string): string =>
  `http://${serviceHost(ref)}:${ingressPort}${basePath === '' ? '/' : basePath}`;
