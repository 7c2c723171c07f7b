/** Accounts for the sentences of the specifications: reads the tables, checks what they name, and writes docs/specification.md. */
import type { Sentence } from './read-sentences.ts';

export const statuses = ['as specified', 'decided', 'changed', 'missing', 'no requirement'] as const;
export interface Row extends Sentence {
  readonly status: string;
  readonly places: readonly string[];
  /** `file: name of a test`, or empty. */
  readonly test: string;
  readonly reason: string;
}

export const readRows = (table: string): readonly Row[] =>
  table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [section = '', quote = '', status = '', places = '', test = '', reason = ''] = line.split('\t');
      return { section, quote, status, places: places.split(' ').filter(Boolean), test, reason };
    });

/** Returns the text of a file of the repository, the empty string for a directory, or undefined. */
export type Lookup = (path: string) => string | undefined;

/** Returns the sections of the decisions that a text such as "(decisions, section 6)" names. */
const decidedIn = (reason: string): readonly string[] =>
  [...reason.matchAll(/decisions, section (\d+)/g)].map(([, section = '']) => section);

/** Returns the numbers of the sections of a text whose headings are "## 1. Title". */
export const sectionsOf = (markdown: string): ReadonlySet<string> =>
  new Set([...markdown.matchAll(/^## (\d+)\./gm)].map(([, section = '']) => section));

const decisionFaultOf = ({ status, reason }: Row, decisions: ReadonlySet<string> | undefined): string | undefined => {
  const named = decidedIn(reason);
  if (status === 'decided' && named.length === 0) return 'names no section of the decisions';
  const lost = decisions && named.find((section) => !decisions.has(section));
  return lost === undefined ? undefined : `names section ${lost} of the decisions, which does not exist`;
};

const faultOf = (row: Row, lookup: Lookup, decisions: ReadonlySet<string> | undefined): string | undefined => {
  const { status, places, test, reason } = row;
  if (!statuses.some((known) => known === status)) return `"${status}" is not a status`;
  if (status === 'as specified' && places.length === 0) return 'names no place';
  if ((status === 'changed' || status === 'missing') && reason === '') return 'gives no reason';
  const undecided = decisionFaultOf(row, decisions);
  if (undecided !== undefined) return undecided;
  const lost = places.find((path) => lookup(path) === undefined);
  if (lost !== undefined) return `names ${lost}, which does not exist`;
  if (test === '') return undefined;
  const [, file = test, name = ''] = /^(\S+): (.+)$/.exec(test) ?? [];
  const source = lookup(file);
  return source !== undefined && source.includes(name) ? undefined : `names a test that does not exist: ${test}`;
};

/**
 * Returns a sentence for each row that names something that does not exist, or that leaves something out. The sections of the decisions are
 * undefined if the decisions are not at hand.
 */
export const faultsOf = (rows: readonly Row[], lookup: Lookup, decisions?: ReadonlySet<string>): readonly string[] =>
  rows.flatMap((row) => {
    const fault = faultOf(row, lookup, decisions);
    return fault === undefined ? [] : [`§${row.section} "${row.quote}" ${fault}`];
  });

const keyOf = ({ section, quote }: Sentence): string => `§${section} "${quote}"`;
const countsOf = (all: readonly Sentence[]): Map<string, number> =>
  new Map([...Map.groupBy(all, keyOf)].map(([key, same]) => [key, same.length]));

/** Compares the table with the specification. A sentence that occurs several times needs as many rows. */
export const unaccounted = (sentences: readonly Sentence[], rows: readonly Row[]): readonly string[] => {
  const [wanted, given] = [countsOf(sentences), countsOf(rows)];
  return [
    ...[...wanted].filter(([key, count]) => (given.get(key) ?? 0) < count).map(([key]) => `${key} has no row`),
    ...[...given].filter(([key, count]) => (wanted.get(key) ?? 0) < count).map(([key]) => `${key} is not in the specification`),
  ];
};

const isUntested = ({ status, test }: Row): boolean => status === 'as specified' && test === '';
const columns = ['as specified', 'decided', 'changed', 'missing', 'untested', 'no requirement'] as const;
const countIn = (rows: readonly Row[], column: string): number =>
  rows.filter((row) => (column === 'untested' ? isUntested(row) : row.status === column)).length;
const lineOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const escaped = (text: string): string => text.replaceAll(/[|\\<>*_[\]{}`]/g, '\\$&');
const linkTo = (path: string): string => `[${path.split('/').at(-1)}](../${path})`;

const bySection = (rows: readonly Row[]): Map<string, readonly Row[]> => Map.groupBy(rows, ({ section }) => section);
const testOf = (row: Row): string => {
  const [, file, name = ''] = /^(\S+): (.+)$/.exec(row.test) ?? [];
  if (file === undefined) return isUntested(row) ? 'untested' : '';
  return `${linkTo(file)}: ${escaped(name)}`;
};

export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
}

const partOf = ({ title, rows }: Part): string =>
  [
    `## ${title}`,
    '',
    lineOf(['Section', ...columns, 'all']),
    lineOf(['---', ...columns.map(() => '---'), '---']),
    ...[...bySection(rows), ['All', rows] as const].map(([section, of]) =>
      lineOf([section, ...columns.map((column) => countIn(of, column)), of.length]),
    ),
    ...[...bySection(rows)].flatMap(([section, of]) => [
      '',
      `### ${title}, section ${section}`,
      '',
      lineOf(['Sentence', 'Status', 'Where', 'Test', 'Reason']),
      lineOf(['---', '---', '---', '---', '---']),
      ...of.map((row) => lineOf([escaped(row.quote), row.status, row.places.map(linkTo).join(', '), testOf(row), escaped(row.reason)])),
    ]),
  ].join('\n');

export const documentOf = (parts: readonly Part[]): string =>
  `# Every sentence of the specifications

\`npm run spec\` writes this page from the tables in [specification/](specification/). Each sentence of the two specifications, quoted by its
first characters, has a status, the place where it is implemented, and its test.

- **as specified**: the code does it. *Untested*: no test was found that would fail without it.
- **decided**: the decisions that accompany the specifications settle it otherwise, in the section given, and the code follows them.
- **changed**: the code does it otherwise, for the reason given.
- **missing**: the code does not do it. What is missing is named.
- **no requirement**: the sentence describes the document, or leaves something open.

${parts.map(partOf).join('\n\n')}
`;
