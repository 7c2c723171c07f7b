/**
 * Writes docs/specification.md from the tables in docs/specification/: `npm run spec`. Fails if a table names a file or test that does not
 * exist, and if the specifications are beside the repository, for each of their sentences without a row, and for each section of the
 * decisions that a row names and that does not exist. `--check` writes nothing.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { documentOf, faultsOf, readRows, sectionsOf, unaccounted, type Lookup } from './account.ts';
import { readSentences } from './read-sentences.ts';

const root = resolve(import.meta.dirname, '../..');
const outside = resolve(root, process.env['SPECIFICATIONS'] ?? '../shared/spec');
const page = resolve(root, 'docs/specification.md');

const lookup: Lookup = (path) => {
  const file = resolve(root, path);
  if (!existsSync(file)) return undefined;
  return statSync(file).isDirectory() ? '' : readFileSync(file, 'utf8');
};

const decisionsFile = resolve(outside, 'decisions.md');
const decisions = existsSync(decisionsFile) ? sectionsOf(readFileSync(decisionsFile, 'utf8')) : undefined;

const parts = (
  [
    ['core-platform', 'Core platform'],
    ['streaming-and-catalogue', 'Streaming and catalog'],
  ] as const
).map(([name, title]) => {
  const rows = readRows(readFileSync(resolve(root, `docs/specification/${name}.tsv`), 'utf8'));
  const specification = resolve(outside, `${name}.md`);
  const open = existsSync(specification) ? unaccounted(readSentences(readFileSync(specification, 'utf8')), rows) : [];
  return { title, rows, faults: [...faultsOf(rows, lookup, decisions), ...open] };
});

const text = documentOf(parts);
const faults = parts.flatMap(({ title, faults: found }) => found.map((fault) => `${title} ${fault}`));
if (!process.argv.includes('--check')) writeFileSync(page, text);
else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) faults.push('docs/specification.md is out of date: npm run spec');

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
