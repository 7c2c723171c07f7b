/** Loads the configuration of this process: the configuration file, if there is one, and the variables, which win. */
import { type Config, readConfig } from '../config.ts';
import type { FileSettings } from './file-settings.ts';
import { findConfigFile, type FileSearch } from './find-file.ts';

/** Loads the YAML library only if there is a file. */
export const loadFileSettings = async (env: NodeJS.ProcessEnv, search?: FileSearch): Promise<FileSettings | undefined> => {
  const file = findConfigFile(env, search);
  if (file === undefined) return undefined;
  const { readConfigFile } = await import('./read-file.ts');
  return readConfigFile(file, env);
};

export const loadConfig = async (env: NodeJS.ProcessEnv, search?: FileSearch): Promise<Config> =>
  readConfig(env, await loadFileSettings(env, search));
