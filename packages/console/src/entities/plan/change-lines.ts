/** Converts a settings change to diff lines. Masks values that look like secrets. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { textLines, wholeLine, wordLines, type DiffLine } from '#kit/diff/text-lines.ts';
import { maskedLabel } from './setting-labels.ts';

/** Returns at least one line per change; an empty value is a line without text. */
export const changeLines = (change: ServiceChange): DiffLine[] => {
  const [before, after] = [maskedLabel(change, change.before), maskedLabel(change, change.after)];
  if (before === null) return after === null ? [] : after.split('\n').map((line) => wholeLine('add', line));
  if (after === null) return before.split('\n').map((line) => wholeLine('del', line));
  // Masked values look the same although they differ.
  if (before === after) return [wholeLine('del', before), wholeLine('add', after)];
  return before.includes('\n') || after.includes('\n') ? textLines(before, after) : wordLines(before, after);
};
