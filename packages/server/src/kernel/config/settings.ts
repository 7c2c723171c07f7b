/**
 * Every setting, by the name of its variable. From this table come the parsing of variables, the shape of the configuration file, its
 * published JSON Schema, and the table of docs/configuration.md.
 */
import * as z from 'zod/mini';
import { engineSettings } from './engine-settings.ts';
import { platformSettings } from './platform-settings.ts';
import type { Setting } from './setting.ts';

const declared = { ...platformSettings, ...engineSettings };
type Declared = typeof declared;
export type Variable = keyof Declared;

export const settings: ReadonlyMap<string, Setting> = new Map(Object.entries(declared));

/** Parses all variables. Unknown ones are ignored: the environment contains others. */
export const variablesSchema = z.object(
  Object.fromEntries(Object.entries(declared).map(([name, { type }]) => [name, type])) as { [Name in Variable]: Declared[Name]['type'] },
);
/** Parsed values by variable. */
export type Variables = z.infer<typeof variablesSchema>;

export const isSecret = ({ form }: Setting): boolean => form.kind === 'secret';
