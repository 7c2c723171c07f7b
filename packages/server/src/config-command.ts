/** `slipway config`: prints the settings in force with their origins, checks them, and prints the schema of the configuration file. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { errorMessage } from '#kernel/caught.ts';
import { readConfig, type Config } from '#kernel/config.ts';
import { fileSchema } from '#kernel/config/file-schema.ts';
import { filePaths } from '#kernel/config/file-shape.ts';
import type { FileSettings } from '#kernel/config/file-settings.ts';
import type { FileSearch } from '#kernel/config/find-file.ts';
import { loadFileSettings } from '#kernel/config/load-config.ts';
import { isSecret, settings } from '#kernel/config/settings.ts';
import type { Form } from '#kernel/config/value-kinds.ts';
import { StartError } from '#kernel/start-error.ts';
import { derived } from './shared-settings.ts';
import { COLUMNS, painted, withoutCredentials } from './terminal.ts';

export const configUsage = `slipway config print [--json]     the settings in force, and where each comes from; secrets are not shown
slipway config check [--json]     reads the configuration file and the variables, and says every mistake
slipway config schema             the JSON Schema of slipway.config.yaml
`;

interface Origin {
  readonly kind: 'default' | 'file' | 'variable';
  readonly text: string;
}
interface InForce {
  /** Keys in the configuration file. */
  readonly path: string;
  readonly variable: string;
  /** As the configuration file has it: a reference for secrets. */
  readonly value: unknown;
  readonly isSecret: boolean;
  readonly origin: Origin;
}

const verbs = ['print', 'check', 'schema'] as const;

/** Returns the output, or throws a `ConfigError` with every mistake. */
export async function configCommand(args: readonly string[], env: NodeJS.ProcessEnv, search: FileSearch): Promise<string> {
  const { verb, isJson } = parsed(args);
  if (verb === 'schema') return JSON.stringify(fileSchema(), undefined, 2);
  // Reading removes secrets from the environment.
  const before = { ...env };
  const file = await loadFileSettings(env, search);
  const config = readConfig(env, file);
  if (verb === 'check') return checked(file, isJson);
  const rows = inForce(config, before, file);
  return isJson ? JSON.stringify(rows, undefined, 2) : asYaml(rows, file);
}

function parsed(args: readonly string[]) {
  const wrong = (what: string): StartError => new StartError(`slipway: ${what}\n\n${configUsage}`);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } }, allowPositionals: true });
    const verb = verbs.find((one) => one === positionals[0]);
    if (verb !== undefined && positionals.length === 1) return { verb, isJson: values.json === true };
  } catch (error) {
    throw wrong(errorMessage(error).split('.')[0] ?? '');
  }
  throw wrong(args[0] === undefined ? 'config needs print, check or schema' : `there is no command config ${args.join(' ')}`);
}

const checked = (file: FileSettings | undefined, isJson: boolean): string => {
  if (isJson) return JSON.stringify({ isValid: true, file: file?.file ?? null });
  const what = file ? `${file.file} and the variables are valid.` : 'There is no configuration file. The variables are valid.';
  return `${what}\nslipway doctor tries the engines that they name.`;
};

/** Settings without a value are left out. */
export const inForce = (config: Config, env: NodeJS.ProcessEnv, file: FileSettings | undefined): InForce[] => {
  const values = { ...config.variables, ...derived(config) };
  return [...settings].flatMap(([variable, setting]) => {
    const value = values[variable] ?? '';
    const owner = setting.supplies === undefined ? setting : settings.get(setting.supplies);
    if (value === '' || owner?.path === undefined) return [];
    const origin = originOf(variable, env, file);
    const supplied = setting.supplies !== undefined && { file: value };
    const shown = isSecret(setting) ? referenceTo(variable, env, file) : supplied || valueOf(setting.form, withoutCredentials(value));
    return [{ path: owner.path, variable, value: shown, isSecret: isSecret(owner), origin }];
  });
};

const originOf = (variable: string, env: NodeJS.ProcessEnv, file: FileSettings | undefined): Origin => {
  if (env[variable] !== undefined) return { kind: 'variable', text: `variable ${variable}` };
  const value = file?.values.get(variable);
  return file && value ? { kind: 'file', text: `${path.basename(file.file)}:${value.line}` } : { kind: 'default', text: 'default' };
};

const referenceTo = (variable: string, env: NodeJS.ProcessEnv, file: FileSettings | undefined): unknown =>
  (env[variable] === undefined && file?.values.get(variable)?.reference) || { env: variable };

const valueOf = ({ kind }: Form, text: string): unknown => {
  if (kind === 'number' || kind === 'share') return Number(text);
  if (kind === 'list') return text.split(',').map((entry) => entry.trim());
  if (kind === 'map') return Object.fromEntries(text.split(',').map((entry) => entry.trim().split('=')));
  return kind === 'consent' ? true : text;
};

const COMMENT = 44;
const flow = (value: unknown): string => stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();

/** Prints a valid configuration file, with origins as comments. */
const asYaml = (rows: readonly InForce[], file: FileSettings | undefined): string => {
  const lines = [`# ${file ? `Configuration file: ${file.file}.` : 'There is no configuration file.'} Variables win.`];
  let open: readonly string[] = [];
  for (const { path: keys, value, origin } of rows.toSorted((one, other) => filePaths.indexOf(one.path) - filePaths.indexOf(other.path))) {
    const at = keys.split('.');
    const parents = at.slice(0, -1);
    const same = parents.findIndex((key, depth) => open[depth] !== key);
    for (let depth = same === -1 ? parents.length : same; depth < parents.length; depth++)
      lines.push(`${'  '.repeat(depth)}${parents[depth]}:`);
    open = parents;
    lines.push(...leafLines('  '.repeat(parents.length), at.at(-1) ?? '', value, origin));
  }
  return lines.join('\n');
};

const leafLines = (indent: string, key: string, value: unknown, origin: Origin): string[] => {
  const comment = painted('dim', `# ${origin.text}`);
  const line = `${indent}${key}: ${flow(value)}`;
  const column = Math.max(COMMENT, line.length + 2);
  if (column + origin.text.length + 2 <= COLUMNS) return [`${line.padEnd(column)}${comment}`];
  const above = `${indent}${comment}`;
  if (line.length <= COLUMNS || !Array.isArray(value)) return [above, line];
  return [above, `${indent}${key}:`, ...value.map((entry) => `${indent}  - ${flow(entry)}`)];
};
