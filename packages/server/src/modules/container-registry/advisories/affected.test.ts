/** The evaluation of ranges as the OSV specification describes it, and what is read of a record. */
import { describe, expect, test } from 'vitest';
import { verdictFor } from './affected.ts';
import { readAdvisory, type Advisory } from './osv.ts';

const ranges = (...events: object[]) => ({ ranges: [{ events }], versions: [] });
const is = (version: string, entry: Parameters<typeof verdictFor>[2], ecosystem = 'npm') => verdictFor(ecosystem, version, entry);
const affected = (fixedIn: string | null) => ({ is: 'affected', fixedIn });

describe('a range', () => {
  const fixed = ranges({ introduced: '0' }, { fixed: '4.17.21' });
  test('ends before the fix', () => {
    expect(is('4.17.20', fixed)).toEqual(affected('4.17.21'));
    expect(is('4.17.21', fixed)).toEqual({ is: 'fine' });
  });
  test('begins where it was introduced, and can begin again', () => {
    const twice = ranges({ fixed: '2.2.0' }, { introduced: '2.0.0' }, { introduced: '1.0.0' }, { fixed: '1.5.0' });
    expect(is('0.9.0', twice)).toEqual({ is: 'fine' });
    expect(is('1.4.0', twice)).toEqual(affected('1.5.0'));
    expect(is('1.5.0', twice)).toEqual({ is: 'fine' });
    expect(is('2.1.0', twice)).toEqual(affected('2.2.0'));
  });
  test('may name the last that is affected, and no fix', () => {
    const last = ranges({ introduced: '0' }, { last_affected: '3.0.0' });
    expect(is('3.0.0', last)).toEqual(affected(null));
    expect(is('3.0.1', last)).toEqual({ is: 'fine' });
  });
  test('ends at a limit', () => {
    expect(is('2.0.0', ranges({ introduced: '0' }, { limit: '2.0.0' }))).toEqual({ is: 'fine' });
    expect(is('1.9.9', ranges({ introduced: '0' }, { limit: '2.0.0' }))).toEqual(affected(null));
    expect(is('9.0.0', ranges({ introduced: '0' }, { limit: '*' }))).toEqual(affected(null));
  });
  test('that cannot be compared is said to be so', () => {
    expect(is('workspace', fixed)).toEqual({ is: 'unknown' });
    expect(is('1.0.0', ranges({ introduced: '0' }, { fixed: 'soon' }))).toEqual({ is: 'unknown' });
  });
  test('is one of several, beside versions by name', () => {
    const entry = { ranges: [...fixed.ranges, ...ranges({ introduced: '5.0.0' }).ranges], versions: ['4.20.0'] };
    expect(is('5.1.0', entry)).toEqual(affected(null));
    expect(is('4.20.0', entry)).toEqual(affected(null));
    expect(is('4.19.0', entry)).toEqual({ is: 'fine' });
  });
  test('is of its ecosystem', () => {
    const debian = ranges({ introduced: '0' }, { fixed: '3.0.11-1' });
    expect(is('3.0.11-1~deb12u2', debian, 'Debian:12')).toEqual(affected('3.0.11-1'));
  });
});

describe('a record', () => {
  const record = {
    id: 'GHSA-aaaa-bbbb-cccc',
    modified: '2024-01-02T03:04:05Z',
    aliases: ['CVE-2024-1'],
    summary: 'Something <b>bad</b>',
    affected: [{ package: { ecosystem: 'npm', name: 'thing' }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] }],
  };
  const read = (changes: object) => readAdvisory({ ...record, ...changes }) as Advisory;
  const entry = (changes: object) => read(changes).packages[0]?.entry;

  test('is rated by its newest vector, else by a word, else not at all', () => {
    const v3 = { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' };
    const v4 = { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N' };
    expect(entry({ severity: [v3] })).toMatchObject({ severity: 'critical', score: 9.8 });
    expect(entry({ severity: [v3, v4] })).toMatchObject({ severity: 'medium', score: 6.9, vector: v4.score });
    expect(entry({ severity: [{ type: 'CVSS_V3', score: 'nonsense' }], database_specific: { severity: 'MODERATE' } })).toMatchObject({
      severity: 'medium',
      score: null,
    });
    expect(entry({})).toMatchObject({ severity: 'unknown', score: null, vector: null });
  });
  test('goes by the name of what it is about upstream, where that is one', () => {
    expect(entry({ aliases: [], upstream: ['CVE-2024-2'] })?.aliases).toContain('CVE-2024-2');
    expect(entry({ aliases: [], upstream: ['CVE-2024-2', 'CVE-2024-3'] })?.aliases).toEqual([record.id]);
  });
  test('links nowhere but the web', () => {
    expect(entry({ references: [{ type: 'ADVISORY', url: 'javascript:alert(1)' }] })?.url).toBe(
      'https://osv.dev/vulnerability/GHSA-aaaa-bbbb-cccc',
    );
    expect(entry({ references: [{ type: 'ADVISORY', url: 'https://example.com/1' }] })?.url).toBe('https://example.com/1');
  });
  test('is kept for ecosystems that are known, by names as they are compared', () => {
    const others = [
      { package: { ecosystem: 'CPAN', name: 'Thing' } },
      { package: { ecosystem: 'PyPI', name: 'My_Thing' }, versions: ['1.0'] },
    ];
    expect(read({ affected: others }).packages).toMatchObject([{ ecosystem: 'PyPI', name: 'my-thing' }]);
  });
  test('that is none says why', () => {
    expect(readAdvisory({ id: 'X' })).toContain('modified');
    expect(readAdvisory([])).toContain('record');
    expect(readAdvisory({ ...record, affected: [{ package: { ecosystem: 'npm', name: 'nul\0' }, versions: ['1'] }] })).toContain(
      'characters',
    );
  });
});
