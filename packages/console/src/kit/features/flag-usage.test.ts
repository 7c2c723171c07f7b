import { expect, test, vi } from 'vitest';
import { noteFlagUsage, onFlagUsage } from './flag-usage.ts';

test('reports used flags in batches every 2000 ms, with their last values', () => {
  vi.useFakeTimers();
  const report = vi.fn<(usage: object) => void>();
  noteFlagUsage('console-feedback', true);
  vi.advanceTimersByTime(5000);
  onFlagUsage(report);
  noteFlagUsage('console-feedback', false);
  noteFlagUsage('shell', 'new');
  vi.advanceTimersByTime(1999);
  expect(report).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  noteFlagUsage('shell', 'old');
  vi.advanceTimersByTime(2000);
  expect(report.mock.calls).toEqual([[{ 'console-feedback': 'false', shell: '"new"' }], [{ shell: '"old"' }]]);
  vi.advanceTimersByTime(10_000);
  expect(report).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
