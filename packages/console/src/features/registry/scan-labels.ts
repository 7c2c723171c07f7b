/** Scan results as icon and text. "Nothing found" appears only if the whole image was scanned. */
import { isUnread, scanNoteText } from '@slipway/contract/registry/scan-notes.ts';
import { scanOutcome, worstFound, type ScanSummary } from '@slipway/contract/registry/scan.ts';
import { severities, type Severity, type SeverityCounts } from '@slipway/contract/registry/severity.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export const severityLabels: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unknown: 'Unknown',
  none: 'None',
};
export const severityTone: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'idle',
  unknown: 'idle',
  none: 'idle',
};

const words = (counts: SeverityCounts, of: readonly Severity[]): string =>
  of.flatMap((severity) => (counts[severity] > 0 ? [`${counts[severity].toLocaleString('en')} ${severity}`] : [])).join(', ');
const sumOf = (counts: SeverityCounts, of: readonly Severity[]): number => of.reduce((sum, severity) => sum + counts[severity], 0);

/** Severities for the first line: the most severe with findings. The second line has the rest. */
const loudOf = (counts: SeverityCounts): readonly Severity[] => {
  if (counts.critical + counts.high > 0) return ['critical', 'high'];
  if (counts.medium > 0) return ['medium'];
  return ['low', 'unknown', 'none'];
};

/** "19 lower · a fix for 17", and whether there may be more. */
const restWords = ({ counts, fixable, notes }: NonNullable<ScanSummary['result']>): string => {
  const loud = loudOf(counts);
  const lower = sumOf(
    counts,
    severities.filter((severity) => !loud.includes(severity)),
  );
  const words = [
    lower > 0 ? `${lower.toLocaleString('en')} lower` : '',
    fixable > 0 ? `a fix for ${fixable.toLocaleString('en')}` : 'no fix yet',
    notes.some(isUnread) ? 'not everything was read' : '',
  ];
  return words.filter(Boolean).join(' · ');
};

export interface ScanLook {
  tone: Tone;
  word: string;
  /** The second line: time, further findings or failure. */
  below: string;
  /** A time in the second line: since when, or when the next try is. */
  at?: { before: string; at: string };
}

export const scanLook = (scan: ScanSummary): ScanLook => {
  const { result, reason, since, nextTryAt } = scan;
  const why = reason === null ? '' : scanNoteText(reason);
  switch (scanOutcome(scan)) {
    case 'NOT_SCANNED':
      return { tone: 'off', word: 'Not scanned', below: why, ...(nextTryAt === null ? {} : { at: { before: 'again', at: nextTryAt } }) };
    case 'QUEUED':
      return { tone: 'run', word: 'Waiting for a scan', below: '' };
    case 'SCANNING':
      return { tone: 'run', word: 'Scanning', below: '', ...(since === null ? {} : { at: { before: 'since', at: since } }) };
    case 'FAILED':
      return { tone: 'bad', word: 'Scan failed', below: why, ...(nextTryAt === null ? {} : { at: { before: 'again', at: nextTryAt } }) };
    case 'PARTLY':
      return { tone: 'off', word: 'Partly scanned', below: result?.notes[0] ? scanNoteText(result.notes[0]) : '' };
    case 'NOTHING_FOUND':
      return { tone: 'ok', word: 'Nothing found', below: '', ...(result ? { at: { before: '', at: result.scannedAt } } : {}) };
    case 'FOUND': {
      const worst = worstFound(scan);
      if (!result || worst === null) return { tone: 'off', word: 'Not scanned', below: '' };
      return { tone: severityTone[worst], word: words(result.counts, loudOf(result.counts)), below: restWords(result) };
    }
  }
};

/** Returns the oldest advisory set. A finding is only as current as the oldest set used for the scan. */
export const oldestOf = <T extends { asOf: string }>(advisories: readonly T[]): T | undefined =>
  advisories.toSorted((a, b) => a.asOf.localeCompare(b.asOf))[0];
