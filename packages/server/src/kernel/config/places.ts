/** Adds keys and places of the configuration file to texts that name variables. */
import { basename } from 'node:path';
import type { FileSettings } from './file-settings.ts';
import { settings } from './settings.ts';

/** A name, with its value if the text has one: `SLIPWAY_RUNTIME=kubernetes`. */
const NAMED = /\b([A-Z][A-Z_]+[A-Z])\b(=\w+)?/g;

/**
 * A line about the value of one variable begins with the place of that value: `slipway.config.yaml:3:9: server.port: must be a port`. In
 * other lines, the key follows each variable, with the line of its value. `env` is the environment before the configuration was read.
 */
export const explainPlaces = (message: string, { file, values }: FileSettings, env: NodeJS.ProcessEnv): string => {
  const valueOf = (name: string) => (env[name] === undefined ? values.get(name) : undefined);
  const explained = (line: string): string => {
    const [, name = '', reason = ''] = /^([A-Z_]+): (.*)$/.exec(line) ?? [];
    const value = valueOf(name);
    if (value) return `${basename(file)}:${value.line}:${value.column}: ${settings.get(name)?.path ?? name}: ${reason}`;
    return line.replaceAll(NAMED, (text, variable: string) => {
      const key = settings.get(variable)?.path;
      const found = valueOf(variable);
      return key === undefined ? text : `${text} (${key}${found ? `, ${basename(file)}:${found.line}` : ''})`;
    });
  };
  return message.split('\n').map(explained).join('\n');
};
