// Translates errors below the port into the port's own failures.
import { isNoSpace, noSpace } from '@slipway/foundation/no-space.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { isOrphan, RegistryError } from './registry-error.ts';

/** Runs `work` and converts its errors to port failures. Without a database the registry is unavailable, and callers may retry. */
export async function portErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PortFailure) throw error;
    if (isOrphan(error)) throw new PortFailure('notFound', 'no such registry project', { cause: error });
    if (isNoSpace(error)) throw noSpace('the registry has no disk space left', error);
    throw new PortFailure('unavailable', 'the registry cannot answer', { cause: error });
  }
}

/** Converts a refusal of the routes to the port failure `rejected`. Returns other errors unchanged. */
export function asRefusal(error: unknown): unknown {
  if (!(error instanceof RegistryError)) return error;
  return new PortFailure('rejected', error.message, { code: error.status === 403 ? 'RegistryDenied' : 'RegistryRefused', cause: error });
}
