/** The blocks for a terminal in README and guide, as they stand there. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export interface ExampleBlock {
  /** `docs/guide/secrets.md`. */
  readonly document: string;
  readonly line: number;
  readonly text: string;
}

const shells = ['sh', 'bash', 'shell', 'console', 'zsh'];
/** Matches a command that a user would type. No test would run a command that is fenced as another language. */
const command = /^\s*(?:\$ |curl |git |docker |podman |skopeo |buildah |npm |examples\/)/m;

/** Throws for a block of commands whose fence does not say so. */
export const blocksOf = (document: string, markdown: string): ExampleBlock[] => {
  const found: ExampleBlock[] = [];
  for (const match of markdown.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm)) {
    const [, , language = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    if (shells.includes(language.trim())) found.push({ document, line, text });
    else if (command.test(text)) throw new Error(`${document}:${line} holds commands: fence it with sh`);
  }
  return found;
};

export const documents = (): string[] => [
  'README.md',
  'docs/api.md',
  ...readdirSync(join(root, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guide/${name}`),
];

export const allBlocks = (): ExampleBlock[] =>
  documents().flatMap((document) => blocksOf(document, readFileSync(join(root, document), 'utf8')));
