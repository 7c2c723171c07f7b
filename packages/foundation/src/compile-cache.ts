/**
 * Keeps Node's compile cache between starts. Child processes that run our code get its directory in their environment, so it applies to
 * their first file.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Empty if this process has no compile cache. */
export const compileCacheEnv = (): Readonly<Record<string, string>> => {
  // Node returns the subdirectory of its own version.
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
};
