/** Registry modes: whether a subject may be changed, and whether versions are imported with the ids of another registry. */
import { errors } from './registry-error.ts';
import type { RegistryMode } from './registry.sql.ts';

export const requireWritable = (subject: string | undefined, mode: RegistryMode): void => {
  if (mode === 'READONLY' || mode === 'READONLY_OVERRIDE' || mode === 'FORWARD')
    throw errors.notPermitted(
      `${subject === undefined ? 'The registry' : `Subject ${subject}`} is in ${mode === 'FORWARD' ? 'forward' : 'read-only'} mode`,
    );
};
