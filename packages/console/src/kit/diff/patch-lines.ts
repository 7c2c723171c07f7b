/** Reads a unified diff, as git prints it, into the lines of a `DiffTable`. */
import { wholeLine, type DiffLine } from './text-lines.ts';

export interface PatchFile {
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'add', '-': 'del', ' ': 'same' };

const lineOf = (line: string): DiffLine[] => {
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line);
  if (hunk) return [wholeLine('gap', `Line ${hunk[1]}`, false)];
  const kind = kinds[line.charAt(0)];
  return kind === undefined ? [] : [wholeLine(kind, line.slice(1), false)];
};

/** The header of a file ends where its first hunk begins. A binary file has no hunk. */
const fileOf = (section: string): PatchFile => {
  const lines = section.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@ '));
  const head = start < 0 ? lines : lines.slice(0, start);
  const path = head.map((line) => /^(?:\+\+\+ b|--- a)\/(.+)$/.exec(line)?.[1]).findLast((name) => name !== undefined);
  const [, first = ''] = / b\/(.+)$/.exec(lines[0] ?? '') ?? [];
  if (start < 0) return { path: path ?? first, lines: [wholeLine('gap', 'No lines to show: the file is binary or empty', false)] };
  return { path: path ?? first, lines: lines.slice(start).flatMap(lineOf) };
};

export const patchFiles = (patch: string): PatchFile[] =>
  patch
    .split(/^diff --git /m)
    .filter((section) => section !== '')
    .map(fileOf);
