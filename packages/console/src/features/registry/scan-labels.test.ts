import { notScanned, type ScanSummary } from '@slipway/contract/registry/scan.ts';
import { noCounts, type SeverityCounts } from '@slipway/contract/registry/severity.ts';
import { expect, test } from 'vitest';
import { oldestOf, scanLook } from './scan-labels.ts';

const scan = (
  counts: Partial<SeverityCounts>,
  fixable = 0,
  notes: { code: string; context: Record<string, string> }[] = [],
): ScanSummary => ({
  ...notScanned,
  state: 'COMPLETED',
  since: '2026-11-22T10:00:00.000Z',
  result: {
    scannedAt: '2026-11-22T10:00:00.000Z',
    scanner: { name: 'Slipway scan', vendor: 'Slipway', version: '1' },
    advisories: [],
    counts: { ...noCounts, ...counts },
    fixable,
    packages: 12,
    platforms: ['linux/amd64'],
    notes,
  },
});
const demo = { code: 'DemoAdvisories', context: {} };

test.each<[string, ScanSummary, string, string]>([
  ['never scanned', notScanned, 'off', 'Not scanned'],
  ['waiting', { ...notScanned, state: 'QUEUED' }, 'run', 'Waiting for a scan'],
  ['under way', { ...notScanned, state: 'SCANNING' }, 'run', 'Scanning'],
  ['failed', { ...notScanned, state: 'FAILED' }, 'bad', 'Scan failed'],
  ['failed after one that found nothing', { ...scan({}), state: 'FAILED' }, 'bad', 'Scan failed'],
  ['finished without a result', { ...notScanned, state: 'COMPLETED' }, 'off', 'Not scanned'],
  ['looked at in part', scan({}, 0, [demo]), 'off', 'Partly scanned'],
  ['clean', scan({}), 'ok', 'Nothing found'],
  ['with something harmless', scan({ low: 9 }), 'idle', '9 low'],
  ['with something medium', scan({ medium: 4, low: 9 }), 'warn', '4 medium'],
  ['with something bad', scan({ critical: 1, high: 2, low: 9 }), 'bad', '1 critical, 2 high'],
])('an image %s', (_name, summary, tone, word) => {
  expect(scanLook(summary)).toMatchObject({ tone, word });
});

test('only what was looked at whole, and found nothing, has the mark of the good', () => {
  const looks = [notScanned, { ...notScanned, state: 'FAILED' as const }, scan({}, 0, [demo]), scan({ unknown: 1 })].map(scanLook);
  expect(looks.filter(({ tone }) => tone === 'ok')).toEqual([]);
});

test('below stands what else there is, and for how many there is a fix', () => {
  expect(scanLook(scan({ critical: 1, medium: 7, low: 12 }, 17)).below).toBe('19 lower · a fix for 17');
  expect(scanLook(scan({ low: 3 })).below).toBe('no fix yet');
  expect(scanLook(scan({ low: 3 }, 0, [{ code: 'PackagesUnread', context: {} }])).below).toBe('no fix yet · not everything was read');
});

test('a scan that cannot be made says why, and when it is tried again', () => {
  const look = scanLook({ ...notScanned, reason: { code: 'ScannerUnavailable', context: {} }, nextTryAt: '2026-11-22T10:04:00.000Z' });
  expect(look).toMatchObject({ below: 'The scanner does not answer', at: { before: 'again', at: '2026-11-22T10:04:00.000Z' } });
});

test('the age of advisories is that of the oldest set', () => {
  const sets = ['2026-11-20', '2026-03-01', '2026-11-22'].map((asOf) => ({ asOf }));
  expect(oldestOf(sets)).toEqual({ asOf: '2026-03-01' });
  expect(oldestOf([])).toBeUndefined();
});
