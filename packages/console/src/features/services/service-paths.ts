/** Addresses below a revision that `#entities/paths.ts` does not name. */
import { paths, type ServiceRef } from '#entities/paths.ts';

export const logsPath = (ref: ServiceRef & { revision: string }): string => `${paths.revision(ref)}/logs`;
