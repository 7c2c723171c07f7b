/** What can be shown without a cluster or a registry is shown without it. */
import { isPortFailure } from '#ports/failure.ts';

/** Undefined where it does not answer. */
export const unlessAway = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (isPortFailure(error, 'unavailable')) return undefined;
    throw error;
  }
};
