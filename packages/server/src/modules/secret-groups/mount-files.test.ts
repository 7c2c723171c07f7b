/** The files of mounts, read by those who read such files: parsers, Node, a shell. */
import { spawnSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isMountFormat, mountFiles } from './mount-files.ts';

const fileOf = (fileFormat: string, values: Record<string, string>): string => {
  const mount = { mountPath: '/run/x', secretGroup: 'orders', includeAllKeys: true, fileFormat, secretKey: null };
  return Object.values(mountFiles(mount, new Map(Object.entries(values)))).join('');
};
const text = (isFit: (value: string) => boolean) =>
  fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !/[\0\r]/.test(value) && isFit(value));
const valuesOf = (isFit: (value: string) => boolean = () => true) =>
  fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,9}$/), text(isFit), { minKeys: 1 }).map((values) => ({ ...values }));

test.each<[string, (file: string) => unknown]>([
  ['json', (file) => JSON.parse(file)],
  ['yaml', (file) => parse(file)],
])('%s: what is written is what a parser reads', (format, read) => {
  fc.assert(
    fc.property(valuesOf(), (values) => {
      expect(read(fileOf(format, values))).toEqual(values);
    }),
  );
});

test('env: Node reads it, but where a value has both kinds of quotes', () => {
  fc.assert(
    fc.property(
      valuesOf((value) => !value.includes("'")),
      (values) => {
        expect({ ...parseEnv(fileOf('env', values)) }).toEqual(values);
      },
    ),
  );
});

test('bash: a shell reads it, whatever it holds', () => {
  fc.assert(
    fc.property(valuesOf(), (values) => {
      const script = `${fileOf('bash', values)}\nenv -0`;
      const { stdout } = spawnSync('/bin/sh', ['-s'], { input: script, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
      const read = Object.fromEntries(stdout.split('\0').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
      expect(read).toMatchObject(values);
    }),
    // A shell each.
    { numRuns: 20 },
  );
});

test('bash leaves out what can be no variable; PowerShell doubles every kind of single quote', () => {
  expect(fileOf('bash', { A: '1', 'b.c': '2' })).toBe("export A='1'\n");
  expect(fileOf('PowerShell', { A: "it’s, it's", 'b.c': '$x' })).toBe("${env:A} = 'it’’s, it''s'\n${env:b.c} = '$x'\n");
});

test.each([
  ['File', true],
  ['ENV', true],
  ['toml', false],
  ['constructor', false],
])('the format %s is one: %s', (format, isOne) => expect(isMountFormat(format)).toBe(isOne));
