// Translates what goes wrong below the port into the port's own failures.
import { isNoSpace, noSpace } from '#kernel/no-space.ts';
import { PortFailure } from '#ports/failure.ts';
import { isOrphan } from './registry-error.ts';

/** Without a database the registry is unavailable, and whoever asked may try again. */
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
