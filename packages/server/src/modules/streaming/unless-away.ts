/** Helper for data that can be shown without a cluster or registry. */
import { isPortFailure } from '#ports/failure.ts';

/** Returns undefined if the engine is unavailable. */
export const unlessAway = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (isPortFailure(error, 'unavailable')) return undefined;
    throw error;
  }
};
