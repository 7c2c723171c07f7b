/** Words and numbers of browser monitoring. */
import type { ErrorState, MonitorError, MonitorRange } from '@slipway/contract/monitoring/readings.ts';
import { ratingOf, type Rating, type Vital } from '@slipway/contract/monitoring/vitals.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export const rangeLabels: Readonly<Record<MonitorRange, string>> = { '24h': '24 h', '7d': '7 d', '30d': '30 d' };
export const rangeBefore: Readonly<Record<MonitorRange, string>> = {
  '24h': 'the 24 hours before',
  '7d': 'the 7 days before',
  '30d': 'the 30 days before',
};

export interface Look {
  readonly tone: Tone;
  readonly word: string;
}
export const ratingLooks: Readonly<Record<Rating, Look>> = {
  GOOD: { tone: 'ok', word: 'Good' },
  NEEDS_IMPROVEMENT: { tone: 'warn', word: 'To improve' },
  POOR: { tone: 'bad', word: 'Poor' },
};
export const vitalLook = (vital: Vital, value: number): Look => ratingLooks[ratingOf(vital, value)];

/** Splits a value into number and unit: 2.9 s, 168 ms, 0.04. */
export const vitalParts = (vital: Vital, value: number): readonly [number: string, unit: string] => {
  if (vital === 'CLS') return [value.toLocaleString('en', { maximumFractionDigits: 2 }), ''];
  return value < 1000 ? [String(Math.round(value)), 'ms'] : [(value / 1000).toLocaleString('en', { maximumFractionDigits: 1 }), 's'];
};
export const vitalText = (vital: Vital, value: number): string => vitalParts(vital, value).join(' ').trim();
export const millisecondsText = (value: number): string => vitalText('TTFB', value);

export const errorLook = ({ state, isBackAgain, firstAt }: Pick<MonitorError, 'state' | 'isBackAgain' | 'firstAt'>, now: number): Look => {
  const fixed: Readonly<Partial<Record<ErrorState, Look>>> = {
    RESOLVED: { tone: 'ok', word: 'Resolved' },
    MUTED: { tone: 'off', word: 'Muted' },
  };
  const known = fixed[state];
  if (known) return known;
  if (isBackAgain) return { tone: 'warn', word: 'Back again' };
  return now - Date.parse(firstAt) < 86_400_000 ? { tone: 'bad', word: 'New' } : { tone: 'off', word: 'Known' };
};
/** 6204 → "6,204". */
export const whole = (value: number): string => value.toLocaleString('en');
