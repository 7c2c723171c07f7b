import { isErrorCode } from '@slipway/contract/kernel/errors.ts';
import { writeKeyValues } from '@slipway/contract/secret/key-value-formats.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatOfFileName, type SecretFileFormat } from './secret-file-format.ts';
import { parseSecretFile } from './secret-file.ts';

const read = (text: string, format?: SecretFileFormat) => {
  const { entries, errors, ...rest } = parseSecretFile(text, format);
  return {
    ...rest,
    entries: Object.fromEntries(entries.map(({ key, value }) => [key, value])),
    errors: errors.map((e) => [e.line, e.code]),
  };
};

test.each<[string, string, Record<string, string>]>([
  ['plain', 'A=1\nB = two words \n\n# c\nC=', { A: '1', B: 'two words', C: '' }],
  ['comments after a space alone', 'A=1 # one\nB=p#ss\nC=# none', { A: '1', B: 'p#ss', C: '' }],
  ['an equals sign and a colon in a value', 'URL=postgres://u:p@h/d?a=b', { URL: 'postgres://u:p@h/d?a=b' }],
  ['double quotes', 'A="a\\nb \\"c\\" \\d" # x', { A: 'a\nb "c" \\d' }],
  ['single quotes', "A='a\\n#b'", { A: 'a\\n#b' }],
  ['values over lines', 'A="-----BEGIN\nMIIB\n-----END"\nB=1', { A: '-----BEGIN\nMIIB\n-----END', B: '1' }],
  ['Bash', "export A='1'\nexport B=2", { A: '1', B: '2' }],
  ['PowerShell', '$env:A = "1"\n${env:B} = \'2\';', { A: '1', B: '2' }],
  ['line ends of Windows and a byte order mark', '\uFEFFA=1\r\nB=2\r\n', { A: '1', B: '2' }],
])('env: %s', (_name, text, entries) => expect(read(text)).toEqual({ format: 'env', entries, errors: [] }));

test.each<[string, string, Record<string, string>]>([
  ['plain', 'a: 1\nb.c: two words # x\nd:\ne: ~', { a: '1', 'b.c': 'two words', d: '', e: '' }],
  ['a document', '---\na: b\n...', { a: 'b' }],
  ['quotes', `a: "x\\n\\u0041"\nb: 'it''s'\n"c": d`, { a: 'x\nA', b: "it's", c: 'd' }],
  ['a colon and a hash in a value', 'url: http://a#b', { url: 'http://a#b' }],
  ['a literal block', 'a: |\n  one\n    two\n\n  three\nb: 1', { a: 'one\n  two\n\nthree\n', b: '1' }],
  ['a block without its last line end', 'a: |-\n  one\n  two\n\nb: 1', { a: 'one\ntwo', b: '1' }],
  [
    'texts as they are written',
    'a: 1.10\nb: yes\nc: 0x1F\nd: 2026-11-20\ne: null',
    { a: '1.10', b: 'yes', c: '0x1F', d: '2026-11-20', e: '' },
  ],
  ['a text over lines', 'a: one\n  two\nb: "x\n  y"', { a: 'one two', b: 'x y' }],
  ['Windows line ends', 'a: 1\r\nb: |\r\n  one\r\n  two\r\n', { a: '1', b: 'one\ntwo\n' }],
  ['a folded block', 'a: >\n  one\n  two\n\n  three\n', { a: 'one two\nthree\n' }],
])('YAML: %s', (_name, text, entries) => expect(read(text)).toEqual({ format: 'yaml', entries, errors: [] }));

test('JSON: texts, numbers, true and false', () => {
  expect(read('{"A": "x", "B": 1, "C": false}')).toEqual({ format: 'json', entries: { A: 'x', B: '1', C: 'false' }, errors: [] });
});

test.each<[string, SecretFileFormat | undefined, unknown[]]>([
  ['just words', undefined, [[1, 'SecretFileLineInvalid']]],
  ['A="open\nB=1', undefined, [[1, 'SecretFileUnclosed']]],
  ['A="x" y', undefined, [[1, 'SecretFileLineInvalid']]],
  ['A=1\nA=2', undefined, [[2, 'DuplicateSecretKey']]],
  ['1A=1', undefined, [[1, 'InvalidSecretKey']]],
  ['{"A": ', undefined, [[1, 'SecretFileInvalid']]],
  ['[1]', 'json', [[1, 'SecretFileInvalid']]],
  ['{"B": 1,\n "A": {"C": 1}}', undefined, [[2, 'SecretFileNotFlat']]],
  [
    'a: b\nc: [1]\nd:\n  e: f\n- g',
    'yaml',
    [
      [2, 'SecretFileNotFlat'],
      [4, 'SecretFileNotFlat'],
      [5, 'SecretFileNotFlat'],
    ],
  ],
  [
    'a: &x b\nc: *x\nd: !!str e',
    'yaml',
    [
      [1, 'SecretFileNotFlat'],
      [2, 'SecretFileNotFlat'],
      [3, 'SecretFileNotFlat'],
    ],
  ],
  ['a: "open', 'yaml', [[1, 'SecretFileUnclosed']]],
  ["a: b\nc: 'open\nd: e", 'yaml', [[2, 'SecretFileUnclosed']]],
  ['a: b\njust words\n', 'yaml', [[2, 'SecretFileLineInvalid']]],
  ['a: "x" y', 'yaml', [[1, 'SecretFileLineInvalid']]],
  ['- a', 'yaml', [[1, 'SecretFileNotFlat']]],
  [
    'a: @b\nc: d: e',
    'yaml',
    [
      [1, 'SecretFileNotFlat'],
      [2, 'SecretFileNotFlat'],
    ],
  ],
  ['a: 1\n---\na: 2', 'yaml', [[3, 'DuplicateSecretKey']]],
  [`A=${'ü'.repeat(32_769)}`, undefined, [[1, 'SecretValueTooLarge']]],
])('what cannot be read is reported by its line: %j', (text, format, errors) => {
  const found = read(text, format);
  expect(found.errors).toEqual(errors);
  for (const { code } of parseSecretFile(text, format).errors) expect(isErrorCode(code)).toBe(true);
});

test('YAML that nests without end, or is too long, is refused at once', () => {
  expect(read(`a: ${'['.repeat(10_000)}`, 'yaml').errors).toEqual([[1, 'SecretFileNotFlat']]);
  expect(read(`a: ${'x'.repeat(4 * 1024 * 1024)}`, 'yaml').errors).toEqual([[1, 'SecretFileInvalid']]);
});

test('an error never quotes a value', () => {
  for (const text of ['hunter2', 'A="hunter2', 'a: &hunter2', '{"A": hunter2}', '{"A": ["hunter2"]}'])
    expect(JSON.stringify(parseSecretFile(text).errors)).not.toContain('hunter2');
});

describe('what was written is read', () => {
  const entries = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/), fc.string({ unit: 'grapheme', maxLength: 40 }), { minKeys: 1 });
  const clean = (text: string): boolean => !/[\0\r]/.test(text);
  test.each<[SecretFileFormat, (values: Record<string, string>) => string]>([
    ['json', (values) => JSON.stringify(values)],
    [
      'yaml',
      (values) =>
        Object.entries(values)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join('\n'),
    ],
    [
      'env',
      (values) =>
        Object.entries(values)
          .map(([key, value]) => `${key}="${value.replace(/[\\"$`]/g, '\\$&')}"`)
          .join('\n'),
    ],
  ])('%s', (format, write) => {
    fc.assert(
      fc.property(entries, (values) => {
        fc.pre(Object.values(values).every(clean));
        expect(read(write(values), format)).toEqual({ format, entries: { ...values }, errors: [] });
      }),
    );
  });

  test.each(['env', 'bash', 'json', 'yaml'] as const)('%s, as the platform writes it', (format) => {
    // Bash ends the quotes to escape a single quote; only a shell can read that.
    const value = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .filter((found) => clean(found) && !(format === 'bash' && found.includes("'")));
    const values = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/), value), { minLength: 1, selector: ([key]) => key });
    fc.assert(
      fc.property(values, (wanted) => {
        const file = parseSecretFile(writeKeyValues(format, wanted), format === 'bash' ? 'env' : format);
        // JSON puts numeric keys first; the test's keys are not numeric.
        expect([file.entries.map(({ key, value: found }) => [key, found]), file.errors]).toEqual([wanted, []]);
      }),
    );
  });

  test('whatever is pasted, it never throws', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.constantFrom('env', 'json', 'yaml', undefined),
        (text, format) => void parseSecretFile(text, format as SecretFileFormat),
      ),
    );
  });
});

test.each([
  ['.env', 'env'],
  ['.env.local', 'env'],
  ['a/prod.yml', 'yaml'],
  ['x.JSON', 'json'],
  ['set.ps1', 'env'],
  ['notes.txt', undefined],
])('the file %s is read as %s', (name, format) => expect(formatOfFileName(name)).toBe(format));
