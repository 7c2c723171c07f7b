/** The files that a mount shows to a process: one for each key, or all keys in one file of a format that programs read. */
import { isEnvironmentName } from '@slipway/contract/secret-entry.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { SecretValues } from './seal.ts';

type Mount = ServiceSpec['template']['secretFileMounts'][number];
type Write = (entries: readonly (readonly [string, string])[]) => string;

const lines =
  (write: (key: string, value: string) => string): Write =>
  (entries) =>
    entries.map(([key, value]) => `${write(key, value)}\n`).join('');

/** Readers of dotenv agree on text in single quotes and hardly on anything else; on escapes in double quotes least of all. */
const dotenvQuoted = (value: string): string => {
  if (!value.includes("'")) return `'${value}'`;
  if (!/["\\$`\n\r]/.test(value)) return `"${value}"`;
  return `"${value
    .replace(/[\\"$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`;
};
/** PowerShell takes the typographic ones for quotes, too. */
const powershellQuoted = (value: string): string => `'${value.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

const formats: Readonly<Record<string, { readonly extension: string; readonly write: Write; readonly isForVariables?: boolean }>> = {
  env: { extension: 'env', write: lines((key, value) => `${key}=${dotenvQuoted(value)}`) },
  bash: {
    extension: 'sh',
    write: lines((key, value) => `export ${key}='${value.replaceAll("'", String.raw`'\''`)}'`),
    isForVariables: true,
  },
  powershell: { extension: 'ps1', write: lines((key, value) => `\${env:${key}} = ${powershellQuoted(value)}`) },
  json: { extension: 'json', write: (entries) => `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n` },
  // A JSON string is a YAML string.
  yaml: { extension: 'yaml', write: lines((key, value) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`) },
};
/** `file`: each key's value as it is, in a file of the key's name. */
const RAW = 'file';

export const isMountFormat = (format: string): boolean => format.toLowerCase() === RAW || Object.hasOwn(formats, format.toLowerCase());

/** Name → content, below the mount's path: `{key}`, or `{group}.env`, `.sh`, `.ps1`, `.json` or `.yaml`. */
export const mountFiles = (mount: Mount, values: SecretValues): Record<string, string> => {
  const entries = [...values].filter(([key]) => mount.includeAllKeys || key === mount.secretKey);
  const format = formats[mount.fileFormat.toLowerCase()];
  if (!format) return Object.fromEntries(entries);
  // A shell takes no variable with dots or dashes.
  const written = format.isForVariables ? entries.filter(([key]) => isEnvironmentName(key)) : entries;
  return { [`${mount.secretGroup}.${format.extension}`]: format.write(written) };
};
