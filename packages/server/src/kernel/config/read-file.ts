/**
 * Reads the configuration file. Every mistake is reported at its line, column and path, all of them at once: an unknown key with the nearest
 * known one, a wrong value, a secret in clear text, or a reference that leads nowhere.
 */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type YAMLMap } from 'yaml';
import { nearNames } from '@slipway/contract/kernel/near-names.ts';
import { errorMessage } from '#kernel/caught.ts';
import { ConfigError } from '../config-error.ts';
import type { FileSettings, FileValue } from './file-settings.ts';
import { fileShape, isLeaf, type Branch, type Leaf } from './file-shape.ts';
import { resolveSecret, type SecretContext } from './secret-reference.ts';
import type { Form } from './value-kinds.ts';

const LARGEST_BYTES = 256 * 1024;

interface Place {
  readonly line: number;
  readonly column: number;
}
interface Reading extends SecretContext {
  readonly placeOf: (node: Node | null | undefined, otherwise?: Node | null) => Place;
  readonly refuse: (place: Place, message: string) => void;
  readonly values: Map<string, FileValue>;
}

/** Removes the variables that the file refers to from `env`, so that child processes cannot read them. */
export function readConfigFile(file: string, env: NodeJS.ProcessEnv): FileSettings {
  const text = readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  const refused: (Place & { readonly message: string })[] = [];
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const read = new Set<string>();
  const reading: Reading = {
    directory: dirname(file),
    variable: (name) => (read.add(name), env[name]),
    placeOf: (node, otherwise) => placeAt(node?.range?.[0] ?? otherwise?.range?.[0] ?? 0),
    refuse: (place, message) => void refused.push({ ...place, message }),
    values: new Map(),
  };
  for (const { message, pos } of document.errors) reading.refuse(placeAt(pos[0]), withoutContents(message));
  if (refused.length === 0 && document.contents !== null) readBranch(document.contents, fileShape, [], reading);
  if (refused.length > 0) {
    const sorted = refused.toSorted((one, other) => one.line - other.line || one.column - other.column);
    throw new ConfigError(sorted.map(({ line, column, message }) => `${basename(file)}:${line}:${column}: ${message}`).join('\n'));
  }
  for (const name of read) delete env[name];
  return { file, values: reading.values };
}

/** Some messages of the library quote the text at fault, which may be a secret in clear text. */
const withoutContents = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/ at line \d.*$/, '').replace(/^(Block scalar header[^:]*):.*$/, '$1');

function readText(file: string): string {
  try {
    if (statSync(file).size > LARGEST_BYTES) throw new ConfigError(`${file} is larger than 256 KiB`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`The configuration file cannot be read: ${errorMessage(cause)}`, { cause });
  }
}

function readBranch(node: Node, branch: Branch, path: readonly string[], reading: Reading): void {
  const where = path.length === 0 ? 'The file' : path.join('.');
  if (!isMap(node)) return reading.refuse(reading.placeOf(node), `${where} must contain keys: ${[...branch.keys()].join(', ')}`);
  for (const { key, value } of node.items as YAMLMap<Node, Node | null>['items']) {
    const name = isScalar(key) ? String(key.value) : '';
    const known = branch.get(name);
    const at = [...path, name];
    if (known === undefined) reading.refuse(reading.placeOf(key), unknown(at, branch));
    else if (isLeaf(known)) readLeaf({ node: value, key }, known, at, reading);
    // A key without a value says nothing.
    else if (value !== null && !(isScalar(value) && value.value === null)) readBranch(value, known, at, reading);
  }
}

const unknown = (path: readonly string[], branch: Branch): string => {
  const [name = '', known] = [path.at(-1), [...branch.keys()]];
  const [guess] = nearNames(name, known);
  const above = path.length === 1 ? 'at the top' : `in ${path.slice(0, -1).join('.')}`;
  return `${path.join('.')} is unknown. ${guess === undefined ? `Known ${above}: ${known.join(', ')}` : `Did you mean ${guess}?`}`;
};

function readLeaf(
  { node, key }: { readonly node: Node | null; readonly key: Node },
  { name, setting }: Leaf,
  path: readonly string[],
  reading: Reading,
): void {
  const place = reading.placeOf(node, key);
  const value: unknown = node === null ? null : node.toJSON();
  const refuse = (reason: string): void => reading.refuse(place, `${path.join('.')} ${reason}`);
  const set = (text: string, reference?: unknown): void => {
    const { error } = z.safeParse(setting.type, text);
    if (error) refuse(error.issues.map(({ message }) => message).join(', '));
    else reading.values.set(name, { ...place, text, ...(reference === undefined ? {} : { reference }) });
  };
  if (setting.form.kind === 'secret') {
    const resolved = resolveSecret(value, reading);
    if ('wrong' in resolved) return refuse(resolved.wrong);
    return set(resolved.text, value);
  }
  const text = textOf(setting.form, value, node, reading.directory);
  if (text === undefined) refuse(mustBe[setting.form.kind]);
  else if (text !== null) set(text);
}

const mustBe: Readonly<Record<Form['kind'], string>> = {
  text: 'must be text',
  path: 'must be a path',
  list: 'must be a list of texts',
  switch: 'must be on or off',
  consent: 'must be true or false',
  map: 'must contain names with values',
  secret: 'must be a reference',
  number: 'must be a number',
  share: 'must be a number',
  choice: 'must be text',
};

/** Returns the text of the variable, null if the variable stays unset, or undefined if the value has another type. */
function textOf({ kind }: Form, value: unknown, node: Node | null, directory: string): string | null | undefined {
  switch (kind) {
    case 'list':
      return Array.isArray(value) && isSeq(node) && value.every(isEntry) ? value.join(',') : undefined;
    case 'map':
      return isMap(node) && isObject(value) && Object.values(value).every(isPlain)
        ? Object.entries(value)
            .map((entry) => entry.join('='))
            .join(',')
        : undefined;
    case 'switch':
      return value === true || value === 'on' ? 'on' : value === false || value === 'off' ? 'off' : undefined;
    case 'consent':
      return value === true ? 'yes' : value === false ? null : undefined;
    case 'number':
    case 'share':
      return typeof value === 'number' ? String(value) : undefined;
    case 'path':
      return typeof value === 'string' && value !== '' ? resolve(directory, value) : undefined;
    default:
      return typeof value === 'string' ? value : undefined;
  }
}
const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
/** A comma would become two entries. */
const isEntry = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '' && !value.includes(',');
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
