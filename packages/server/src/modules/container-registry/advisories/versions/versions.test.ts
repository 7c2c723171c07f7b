/** Each ecosystem's order of versions, by vectors that its own tools are tested with, and versions that are made to take long. */
import { expect, test } from 'vitest';
import { compareVersions } from './compare-versions.ts';

const signOf = (order: number | undefined): string => {
  if (order === undefined) return 'none';
  if (order === 0) return '=';
  return order < 0 ? '<' : '>';
};
const holds = (ecosystem: string, line: string): void => {
  const [a = '', sign, b = ''] = line.trim().split(' ');
  const opposite = { '<': '>', '>': '<', '=': '=' }[sign ?? ''];
  expect(`${a} ${signOf(compareVersions(ecosystem, a, b))} ${b}`).toBe(`${a} ${sign} ${b}`);
  expect(`${b} ${signOf(compareVersions(ecosystem, b, a))} ${a}`).toBe(`${b} ${opposite} ${a}`);
};
const lines = (text: string): string[] => text.trim().split('\n');

// From apk-tools' test/version.data.
test.each(
  lines(`
    2.34 > 0.1.0_alpha
    0.1.0_alpha = 0.1.0_alpha
    0.1.0_alpha < 0.1.3_alpha
    0.1.0_alpha2 > 0.1.0_alpha
    1.0.4-r3 < 1.0.4-r4
    1.1 > 1.1_alpha1
    1.1_alpha1 < 1.2.1
    1.2 < 1.3_alpha
    0.13_beta5 > 0.9.12
    2.3.0b-r1 < 2.3.0b-r2
    1.2.2-r1 > 1.2.2
    3.1_p16 < 3.1_p17
    3.1_p17 > 1.06-r6
    1.06-r6 < 006
    006 > 1.0.0
    2.01.01_alpha10 > 0.94
    1.39 > 1.00_beta2
    1.02 < 1.03-r1
    1.03-r1 < 1.12.12-r2
    4.2.52_p2-r1 < 4.2.52_p4-r2
    2.0.4 < 2.10.0
    2.5.1-r8 < 2.5.1a-r1
    3.9_pre20060124 > 0.01
    02.08.01b < 4.77
    1.07-r1 < 1.07.5
    0.9.8c-r1 < 0.9.8d
    4.5_p1-r1 > 4.5_p1
    0.9.28-r2 < 0.9.28.1
    104-r11 > 104-r9
    1.3-r0 < 1.3.1-r0
    1.3_pre1-r1 < 1.3.2
    1.0_p10-r0 > 1.0_p9-r0
    0.1.0_alpha_pre2 < 0.1.0_alpha
    1.0.0_pre20191002222144-r0 < 1.0.0_pre20210530193627-r0`),
)('Alpine: %s', (line) => holds('Alpine:v3.20', line));

// From deb-version(7), Debian policy 5.6.12, and the cases of dpkg's own test.
test.each(
  lines(`
    0:0 = 0:0
    0:0-00 = 0:00-0
    1:2:3-4-5 = 1:2:3-4-5
    0:1 < 1:0
    a-0 > 0.0.0-0
    1.0~~ < 1.0~~a
    1.0~~a < 1.0~
    1.0~ < 1.0
    1.0 < 1.0a
    1.0 < 1.0+b1
    1.0a < 1.0+b1
    2.7.2-3 < 2.7.2-12
    3.0.11-1~deb12u2 < 3.0.11-1
    3.0.13-1~deb12u1 > 3.0.11-1~deb12u2
    1.10 > 1.9
    9.9-1 < 1:0.1-1
    1.0-1 < 1.0-1.1
    1.2.3-1ubuntu0.1 > 1.2.3-1`),
)('Debian: %s', (line) => holds('Debian:12', line));

// From PEP 440.
test.each(
  lines(`
    1.0.dev456 < 1.0a1
    1.0a1 < 1.0a2.dev456
    1.0b1.dev456 < 1.0b2
    1.0rc1 < 1.0
    1.0 < 1.0.post1
    1.0+abc.5 < 1.0+abc.7
    1.0 = 1.0.0
    1!0.1 > 2024.1
    1.10 > 1.9
    v1.0 = 1.0`),
)('PyPI: %s', (line) => holds('PyPI', line));

test.each(['1.0.0-alpha < 1.0.0-alpha.1', '1.0.0-alpha.beta < 1.0.0-beta', '1.0.0-rc.1 < 1.0.0', '4.17.20 < 4.17.21', '10.0.0 > 9.9.9'])(
  'npm: %s',
  (line) => holds('npm', line),
);
test.each([
  'v1.2.3 = 1.2.3',
  'v0.0.0-20200101000000-abcdefabcdef < v0.0.1',
  'v2.0.0+incompatible = 2.0.0',
  '1.21rc2 < 1.21',
  '1.21 < 1.21.1',
  '1.9.7 < 1.21',
])('Go: %s', (line) => holds('Go', line));

test.each([
  ['npm', 'latest', '1.0.0'],
  ['Debian:12', 'not a version', '1.0'],
  ['Alpine:v3.20', '1.0_foo', '1.0'],
  ['PyPI', '<script>', '1.0'],
  ['CPAN', '1.0', '2.0'],
])('%s: %s cannot be compared', (ecosystem, a, b) => expect(compareVersions(ecosystem, a, b)).toBeUndefined());

test.each(['npm', 'Go', 'PyPI', 'Debian:12', 'Alpine:v3.20'])('%s: no version takes long', (ecosystem) => {
  const parts = ['1.', '0-', 'a', '~', '1a', '_p1', '.dev', '-1', '+a', ' ', '0', '1!', '.post', 'rc'];
  const startedAt = performance.now();
  for (const part of parts) {
    // As long as is looked at, and longer.
    for (const times of [40, 120, 100_000]) {
      compareVersions(ecosystem, `1${part.repeat(times)}!`, `1${part.repeat(times)}`);
      compareVersions(ecosystem, part.repeat(times), '1.0.0');
    }
  }
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
