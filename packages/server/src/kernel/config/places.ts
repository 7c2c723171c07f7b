/** Adds the places in the configuration file to messages that name variables. */
import { basename } from 'node:path';
import type { FileSettings } from './file-settings.ts';
import { settings } from './settings.ts';

/** Place of a setting's value: `slipway.config.yaml:3:9`. */
export const placeOf = (name: string, { file, values }: FileSettings): string | undefined => {
  const value = values.get(name);
  return value && `${basename(file)}:${value.line}:${value.column}`;
};

/** A line about one value begins with its place. Other lines are followed by the keys of the variables that they name. */
export const explainPlaces = (message: string, file: FileSettings, env: NodeJS.ProcessEnv): string => {
  const fromFile = (name: string): string | undefined => (env[name] === undefined ? placeOf(name, file) : undefined);
  const lines = message.split('\n').map((line) => {
    const [, name = '', reason = ''] = /^([A-Z_]+): (.*)$/.exec(line) ?? [];
    const place = fromFile(name);
    return place === undefined ? line : `${place}: ${settings.get(name)?.path ?? name}: ${reason}`;
  });
  const named = new Set([...lines.join('\n').matchAll(/\b[A-Z][A-Z_]+[A-Z]\b/g)].map(([name]) => name));
  const keys = [...named].flatMap((name) => {
    const path = settings.get(name)?.path;
    if (path === undefined) return [];
    return [
      `  ${name} is ${path}${env[name] === undefined ? '' : ', and set as a variable'}${fromFile(name) ? ` (${fromFile(name)})` : ''}`,
    ];
  });
  return keys.length === 0 ? lines.join('\n') : [...lines, `In ${basename(file.file)}:`, ...keys].join('\n');
};
