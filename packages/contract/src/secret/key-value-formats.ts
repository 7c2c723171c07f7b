/**
 * Writes keys and values as text for programs: `.env`, Bash, PowerShell, JSON and YAML. For mounted files and for copying in the browser.
 */
import { isEnvironmentName } from './secret-entry.ts';

export type KeyValue = readonly [key: string, value: string];
export const keyValueFormats = ['env', 'bash', 'powershell', 'json', 'yaml'] as const;
export type KeyValueFormat = (typeof keyValueFormats)[number];

interface Format {
  /** Display name. */
  readonly label: string;
  readonly extension: string;
  readonly write: (entries: readonly KeyValue[]) => string;
}

const lines =
  (write: (key: string, value: string) => string): Format['write'] =>
  (entries) =>
    entries.map(([key, value]) => `${write(key, value)}\n`).join('');

/** Dotenv parsers agree on single-quoted text and on little else, least of all on escapes in double quotes. */
const dotenvQuoted = (value: string): string => {
  if (!value.includes("'")) return `'${value}'`;
  if (!/["\\$`\n\r]/.test(value)) return `"${value}"`;
  return `"${value
    .replace(/[\\"$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')}"`;
};
const bashLines = lines((key, value) => `export ${key}='${value.replaceAll("'", String.raw`'\''`)}'`);
/** PowerShell also treats typographic single quotes as quotes. */
const powershellQuoted = (value: string): string => `'${value.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

const formats: Readonly<Record<KeyValueFormat, Format>> = {
  env: { label: 'File', extension: 'env', write: lines((key, value) => `${key}=${dotenvQuoted(value)}`) },
  // Shell variables cannot contain dots or dashes.
  bash: { label: 'Bash', extension: 'sh', write: (entries) => bashLines(entries.filter(([key]) => isEnvironmentName(key))) },
  powershell: { label: 'PowerShell', extension: 'ps1', write: lines((key, value) => `\${env:${key}} = ${powershellQuoted(value)}`) },
  json: { label: 'JSON', extension: 'json', write: (entries) => `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n` },
  // A JSON string is a YAML string.
  yaml: { label: 'YAML', extension: 'yaml', write: lines((key, value) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`) },
};

/** Finds a format by name, case-insensitively. Returns undefined for unknown names, including `file`. */
export const keyValueFormatOf = (name: string): Format | undefined => {
  const known = name.toLowerCase();
  return Object.hasOwn(formats, known) ? formats[known as KeyValueFormat] : undefined;
};
/** Ends with a line break, except without entries. */
export const writeKeyValues = (format: KeyValueFormat, entries: readonly KeyValue[]): string => formats[format].write(entries);
