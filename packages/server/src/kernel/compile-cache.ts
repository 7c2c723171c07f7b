/** What Node has compiled is kept between starts; a child process that runs our code is told here where, before it reads its first file. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Nothing where this process keeps nothing either. */
export const compileCacheEnv = (): Readonly<Record<string, string>> => {
  // Node answers with the directory of its own version.
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
};
