import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { expect, test } from 'vitest';
import type { DiffLine } from '#kit/diff/text-lines.ts';
import { changeLines } from './change-lines.ts';

const change = (before: unknown, after: unknown, path = 'spec.containerImageName'): ServiceChange => ({
  path,
  section: 'general',
  label: path.split('.').at(-1) ?? '',
  unit: null,
  effect: 'RESTART',
  before,
  after,
});
/** Prints lines with `-` and `+`, and marked parts in brackets. */
const drawn = (lines: readonly DiffLine[]): string[] =>
  lines.map(
    ({ kind, parts }) =>
      `${{ del: '-', add: '+', same: ' ', gap: '…' }[kind]} ${parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join('')}`,
  );

test.each([
  ['a number with its unit', { ...change(768, 1024), unit: 'MB' }, ['- [768 MB]', '+ [1024 MB]']],
  ['nothing before', { ...change(null, 30), unit: 'days' }, ['+ [30 days]']],
  ['nothing after', change('http://a', null), ['- [http://a]']],
  ['a switch', change(true, false), ['- [on]', '+ [off]']],
  ['a choice in its words', change('STATIC', 'AUTO', 'spec.template.replicaScaling.scalingType'), ['- [Fixed]', '+ [By CPU load]']],
  [
    'long text by words',
    change('registry.example.com/berth/api-one', 'registry.example.com/berth/api-two'),
    ['- registry.example.com/berth/api-[one]', '+ registry.example.com/berth/api-[two]'],
  ],
  ['a list by lines', change(['/a', '/b', '/c'], ['/a', '/c']), ['  /a', '- [/b]', '  /c']],
])('%s', (_, given, lines) => expect(drawn(changeLines(given))).toEqual(lines));

test('of a long text only what surrounds the change is shown', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const after = lines.with(15, 'another');
  expect(drawn(changeLines(change(lines, after)))).toEqual([
    '… 13 lines stay the same',
    '  line 13',
    '  line 14',
    '- [line 15]',
    '+ [another]',
    '  line 16',
    '  line 17',
    '… 12 lines stay the same',
  ]);
});

test('values that look like secrets are masked on both sides; references to secrets are listed', () => {
  const path = 'spec.template.envVars.HOOK';
  const token = (letter: string) => `ghp_${letter.repeat(36)}`;
  const lines = drawn(changeLines(change({ source: 'STATIC', value: token('a') }, { source: 'STATIC', value: token('b') }, path)));
  expect(lines).toEqual(['- [•••••••• (looks like a GitHub token)]', '+ [•••••••• (looks like a GitHub token)]']);
  const moved = change({ source: 'STATIC', value: 'info' }, { source: 'SECRET_KEY', secretGroup: 'orders', secretKey: 'hook' }, path);
  expect(drawn(changeLines(moved))).toEqual(['- [info]', '+ [key hook of the secret group orders]']);
});

test('a mount tells its keys and its files', () => {
  const mount = (rest: object) => ({ secretGroup: 'orders', includeAllKeys: true, fileFormat: 'file', secretKey: null, ...rest });
  const path = 'spec.template.secretFileMounts./etc/tls';
  const lines = changeLines(change(null, mount({}), path));
  expect(drawn(lines)).toEqual(['+ [all keys of orders, as a file for each key]']);
  expect(drawn(changeLines(change(null, mount({ includeAllKeys: false, secretKey: 'tls.key', fileFormat: 'JSON' }), path)))).toEqual([
    '+ [key tls.key of orders, as one JSON file]',
  ]);
});
