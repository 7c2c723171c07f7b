/** Keeps Node's compiled code between starts. Child processes that run our code get the cache's place by their environment, before they read their first file. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Nothing where this process keeps nothing either. */
export const compileCacheEnv = (): Readonly<Record<string, string>> => {
  // Node answers with the directory of its own version.
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
};
