/**
 * Refuses the words that the glossary has retired, in code, comments, texts and documents, and doc comments without a subject:
 * `node scripts/words.ts`, part of `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');
const glossary = 'docs/glossary.md';
const texts = ['*.md', '{packages,engines,scripts,bench,e2e,examples,docs}/**/*.{ts,tsx,mjs,js,css,html,sh,md,txt}'];
/** History keeps its words; the glossary names them; what was built or installed is made of other files. */
const exempt = /(^|\/)(node_modules|dist|test-results)\/|^docs\/decisions\/|^CHANGELOG\.md$|^docs\/glossary\.md$/;

const isCode = /\.(?:tsx?|mjs)$/;

/** The first column of the glossary's table of retired words. */
export const retiredWords = (text: string): string[] => {
  const [, table = ''] = text.split('| Retired | Say instead |');
  return [...table.matchAll(/^\| ([^|-][^|]*) \|/gm)].flatMap(([, words = '']) => words.split(', '));
};

export interface Found {
  /** From 1. */
  readonly line: number;
  readonly word: string;
}
/** Whole words, in any letter case; the space in a phrase may be a line's end in a comment. */
export const findRetired = (text: string, words: readonly string[]): Found[] => {
  const phrases = words.map((word) => word.replaceAll(' ', String.raw`\s+(?:\*\s+|//\s+)?`));
  const pattern = new RegExp(String.raw`(?<![\w$-])(?:${phrases.join('|')})(?![\w$-])`, 'gi');
  return [...text.matchAll(pattern)].map(({ 0: word, index }) => ({ line: text.slice(0, index).split('\n').length, word }));
};

/** Openings that make a doc comment a fragment or a clause without a subject. "By default" is none of them. */
const fragments = /\/\*\*\s+(?:\*\s+)?(Of|By(?! default)|Whose|Whoever|Whatever|Where|What)\s/g;
export const findFragments = (text: string): Found[] =>
  [...text.matchAll(fragments)].map(({ 1: word = '', index }) => ({ line: text.slice(0, index).split('\n').length, word }));

const check = (): void => {
  const words = retiredWords(readFileSync(join(root, glossary), 'utf8'));
  if (words.length === 0) throw new Error(`${glossary} has no table of retired words`);
  for (const file of globSync(texts, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' })) {
    if (exempt.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const { line, word } of findRetired(text, words)) {
      process.stderr.write(`${file}:${line}: “${word}” is retired: ${glossary} says what to write instead\n`);
      process.exitCode = 1;
    }
    for (const { line, word } of isCode.test(file) ? findFragments(text) : []) {
      process.stderr.write(
        `${file}:${line}: a doc comment that begins “${word}” has no subject: say what the thing does, returns or holds\n`,
      );
      process.exitCode = 1;
    }
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) check();
