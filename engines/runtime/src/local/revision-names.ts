/** Names under which the runtime keeps revisions and the users of services. */
import { resolve } from 'node:path';
import { serviceKey } from '../edge/service-names.ts';
import type { RevisionRef, ServiceRef } from '@slipway/foundation/ports/runtime.ts';

export const revisionKey = (ref: RevisionRef): string => `${serviceKey(ref)}/${ref.revision}`;

/** Returns the key of a service's user. Includes the data directory: two servers on one machine may have services of the same name. */
export const serviceUser = (dataDir: string, ref: ServiceRef): string => `${resolve(dataDir)} ${serviceKey(ref)}`;

export const revisionRef = ({ app, environment, service, revision }: RevisionRef): RevisionRef => ({ app, environment, service, revision });
