/** Programs for quickstarts: repositories under `templates/`, with the files of `templates/shared` and the app's names filled in. */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Template } from '@slipway/contract/quickstart.ts';
import { mapLimited } from '#kernel/map-limited.ts';

import { Problem } from '#kernel/problem.ts';
import type { SourceFile } from '#ports/builder.ts';

export type TemplateInfo = Template;
export interface TemplateNames {
  readonly app: string;
  readonly displayName: string;
  readonly service: string;
  /** Adds a program part that uses the database of the app. */
  readonly withDatabase?: boolean | undefined;
  /** Full name of the topic. Adds a program part that writes and reads it. */
  readonly topic?: string | undefined;
}

const folder = fileURLToPath(new URL('../../../templates/', import.meta.url));

const templates: readonly TemplateInfo[] = [
  {
    id: 'node-http-api',
    displayName: 'Node HTTP API',
    description: 'A JSON API in plain Node: list, read, create and delete, with validation and an OpenAPI document.',
    features: ['JSON API with problem+json errors', 'OpenAPI 3.1 document', 'Page that lists the endpoints', 'Health endpoint', 'Tests'],
    hasUrl: true,
  },
  {
    id: 'node-web',
    displayName: 'Node web page',
    description: 'A page made on the server in plain Node, with a form that works without a script.',
    features: ['Server-rendered page', 'Light and dark theme', 'Form with validation', 'Health endpoint', 'Tests'],
    hasUrl: true,
  },
  {
    id: 'node-worker',
    displayName: 'Node scheduled worker',
    description: 'A job that runs every few seconds in plain Node, with a status page for its last runs.',
    features: ['Job on a schedule with a time limit', 'Structured logs', 'Status page', 'Health endpoint', 'Tests'],
    hasUrl: true,
  },
];

export const templateList = (): readonly TemplateInfo[] => templates;

const asJson = (value: string): string => JSON.stringify(value).slice(1, -1);
const asMarkdown = (value: string): string => value.replace(/[\\`*_[\]<>#|&]/g, '\\$&');

/** Text files and how to encode a name in them. The display name is free text, so only these two file types may contain it. */
const textFiles: readonly { readonly ending: string; readonly write: (value: string) => string }[] = [
  { ending: '.json', write: asJson },
  { ending: '.md', write: asMarkdown },
];

const filled = (path: string, content: Buffer, names: TemplateNames): Uint8Array => {
  const kind = textFiles.find(({ ending }) => path.endsWith(ending));
  if (kind === undefined) return content;
  const { app, displayName, service } = names;
  const values: Readonly<Record<string, string>> = { app, displayName, service };
  const text = content.toString('utf8').replace(/\{\{(app|displayName|service)\}\}/g, (_, name: string) => kind.write(values[name] ?? ''));
  return Buffer.from(text);
};

/** Detects files that tools create when somebody works on a template in place. */
const isLeftOver = (path: string): boolean => path.split('/').some((part) => part === 'node_modules' || part === '.DS_Store');

const filesIn = async (name: string, names: TemplateNames): Promise<SourceFile[]> => {
  const root = join(folder, name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !isLeftOver(path));
  return mapLimited(paths, async (path) => {
    const file = join(root, path);
    const [content, info] = await Promise.all([readFile(file), stat(file)]);
    return { path, content: filled(path, content, names), isExecutable: (info.mode & 0o100) !== 0 };
  });
};

/** The list of connections is written here, so that each program imports only the clients that it uses. */
const connectionList = ({ withDatabase, topic }: TemplateNames): SourceFile => {
  const lines = [
    '// The connections of this service, in the order in which its page shows them.',
    ...(withDatabase ? ["import { database } from './database.js';"] : []),
    ...(topic === undefined ? [] : ["import { streamOf } from './stream.js';"]),
    '',
    `export const list = [${[...(withDatabase ? ['database'] : []), ...(topic === undefined ? [] : [`streamOf('${topic}')`])].join(', ')}];`,
    '',
  ];
  return { path: 'src/connection-list.js', content: Buffer.from(lines.join('\n')), isExecutable: false };
};

/** Folders whose files replace and complete those of the template. */
const partFolders = ({ withDatabase, topic }: TemplateNames): string[] => {
  const own = [...(withDatabase ? ['parts/database'] : []), ...(topic === undefined ? [] : ['parts/stream'])];
  return own.length === 0 ? [] : ['parts/common', ...own];
};

/** Returns the source tree of a template for a first commit. Throws the problem `TemplateDoesNotExist` for an unknown id. */
export type TemplateFiles = (id: string, names: TemplateNames) => Promise<readonly SourceFile[]>;

export const templateFiles: TemplateFiles = async (id, names) => {
  if (!templates.some((template) => template.id === id)) throw new Problem('TemplateDoesNotExist', { field: 'template' });
  const folders = partFolders(names);
  const files = new Map<string, SourceFile>();
  for (const name of ['shared', id, ...folders]) for (const file of await filesIn(name, names)) files.set(file.path, file);
  if (folders.length > 0) files.set('src/connection-list.js', connectionList(names));
  return [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
};
