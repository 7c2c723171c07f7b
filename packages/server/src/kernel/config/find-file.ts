/** Finds the configuration file. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';

const FILE_NAME = 'slipway.config.yaml';

export interface FileSearch {
  /** Path given on the command line. */
  readonly path?: string | undefined;
  /** Directory to which `path` is relative. */
  readonly from?: string;
}

/**
 * Returns the path on the command line, that of SLIPWAY_CONFIG, or the file in the working directory or in the data directory, in this order.
 * An empty SLIPWAY_CONFIG means none. Throws a `ConfigError` if a named file does not exist.
 */
export const findConfigFile = (env: NodeJS.ProcessEnv, { path, from = process.cwd() }: FileSearch = {}): string | undefined => {
  const variable = env['SLIPWAY_CONFIG'];
  if (path !== undefined) return mustExist(resolve(from, path), '--config');
  if (variable === '') return undefined;
  if (variable !== undefined) return mustExist(resolve(variable), 'SLIPWAY_CONFIG');
  return [resolve(FILE_NAME), resolve(env['SLIPWAY_DATA'] || './data', FILE_NAME)].find((file) => existsSync(file));
};

const mustExist = (file: string, how: string): string => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new ConfigError(`${how}: there is no file ${file}`);
  return file;
};
