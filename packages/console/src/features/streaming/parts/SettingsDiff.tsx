/** Changed settings, one by one, as removed and added lines. */
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { textLines, wholeLine, type DiffLine } from '#kit/diff/text-lines.ts';
import { settingText } from './setting-text.ts';

export interface SettingChange {
  readonly field: string;
  readonly label: string;
  /** Null if there was no value. */
  readonly before: string | null;
  readonly after: string;
}

/** A new value is added as a whole, without word-level highlights. */
const linesOf = ({ field, ...values }: SettingChange): DiffLine[] => {
  const before = values.before === null ? null : settingText(field, values.before);
  const after = settingText(field, values.after);
  if (before !== null) return textLines(before.trimEnd(), after.trimEnd());
  return after
    .trimEnd()
    .split('\n')
    .map((line) => wholeLine('add', line, false));
};

export function SettingsDiff({ label, changes, isFlush = false }: { label: string; changes: readonly SettingChange[]; isFlush?: boolean }) {
  return (
    <DiffTable label={label} isFlush={isFlush}>
      {changes.map((change) => (
        <DiffSection key={change.field} title={change.label}>
          <DiffLines lines={linesOf(change)} />
        </DiffSection>
      ))}
    </DiffTable>
  );
}
