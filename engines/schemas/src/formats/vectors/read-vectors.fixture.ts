/** Reads the test vectors in this folder: verdicts of other implementations on pairs of schemas. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Vector {
  /** Identifies the vector in lists of differences. */
  readonly name: string;
  readonly reader: string;
  readonly writer: string;
  readonly isCompatible: boolean;
}

const linesOf = (file: string): string[] => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n');

/** Parses lines of `name = schema` and `reader reads writer writer` or `reader refuses writer`. */
export const readPairs = (file: string): Vector[] => {
  const schemas = new Map<string, string>();
  const vectors: Vector[] = [];
  for (const line of linesOf(file)) {
    const defined = /^(\S+) = (.+)$/.exec(line);
    const pair = /^(\S+) (reads|refuses) (.+)$/.exec(line);
    if (line.startsWith('#')) continue;
    if (defined?.[1] !== undefined && defined[2] !== undefined) schemas.set(defined[1], defined[2]);
    else if (line === 'every schema reads itself')
      for (const [name, text] of schemas) vectors.push({ name: `${name} reads ${name}`, reader: text, writer: text, isCompatible: true });
    else if (pair?.[1] !== undefined && pair[3] !== undefined)
      for (const writer of pair[3].split(' '))
        vectors.push({
          name: `${pair[1]} ${pair[2]} ${writer}`,
          reader: known(schemas, pair[1]),
          writer: known(schemas, writer),
          isCompatible: pair[2] === 'reads',
        });
    else if (line.trim() !== '') throw new Error(`${file}: ${line}`);
  }
  return vectors;
};

const known = (schemas: ReadonlyMap<string, string>, name: string): string => {
  const text = schemas.get(name);
  if (text === undefined) throw new Error(`There is no schema ${name}`);
  return text;
};

/** Parses blocks of `## name`, `old schema`, `new schema` and the verdicts. A schema may span several lines. */
export const readChanges = (file: string): Vector[] =>
  linesOf(file)
    .join('\n')
    .split('\n## ')
    .slice(1)
    .flatMap((block) => {
      const match = /^(?<name>.*)\nold (?<before>[^]*?)\nnew (?<after>[^]*?)\n(?<level>BACKWARD|FORWARD|FULL|NONE)\n*$/.exec(block);
      if (match?.groups === undefined) throw new Error(`${file}: ${block}`);
      const { name = '', before = '', after = '', level = '' } = match.groups;
      return [
        { name: `${name}, backward`, reader: after, writer: before, isCompatible: level === 'BACKWARD' || level === 'FULL' },
        { name: `${name}, forward`, reader: before, writer: after, isCompatible: level === 'FORWARD' || level === 'FULL' },
      ];
    });

/** Parses lines of `valid schema` and `invalid schema`, each with JSON on one line. */
export const readValidity = (file: string): { readonly text: string; readonly isValid: boolean }[] =>
  linesOf(file).flatMap((line) => {
    const match = /^(valid|invalid) (".*")$/.exec(line);
    if (match?.[2] === undefined) return [];
    const text: unknown = JSON.parse(match[2]);
    return [{ text: String(text), isValid: match[1] === 'valid' }];
  });
