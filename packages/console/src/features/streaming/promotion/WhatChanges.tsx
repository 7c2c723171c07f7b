/** What production becomes: setting by setting, each as lines that go and come. */
import type { PromotionDifference } from '@slipway/contract/streaming/promotion.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { textLines, wholeLine, type DiffLine } from '#kit/diff/text-lines.ts';
import { settingText } from './setting-text.ts';

/** What is new is all there, and is not marked word by word. */
const linesOf = ({ field, ...values }: PromotionDifference): DiffLine[] => {
  const before = values.before === null ? null : settingText(field, values.before);
  const after = settingText(field, values.after);
  if (before !== null) return textLines(before.trimEnd(), after.trimEnd());
  return after
    .trimEnd()
    .split('\n')
    .map((line) => wholeLine('add', line, false));
};

/** Where one is led who has to look again. */
export const whatChangesId = 'promoted';

export function WhatChanges({ isNew, differences }: { isNew: boolean; differences: readonly PromotionDifference[] }) {
  const title = isNew ? 'What production gets' : 'What changes in production';
  return (
    <Panel id={whatChangesId} tabIndex={-1} aria-labelledby="what-changes">
      <PanelHead title={title} titleId="what-changes" note={differences.length > 0 && count(differences.length, 'setting')} />
      {differences.length === 0 ? (
        <EmptyState kind="first-use" title="Production is the same" isCompact>
          There is nothing to promote.
        </EmptyState>
      ) : (
        <DiffTable label={title} isFlush>
          {differences.map((difference) => (
            <DiffSection key={difference.field} title={difference.label}>
              <DiffLines lines={linesOf(difference)} />
            </DiffSection>
          ))}
        </DiffTable>
      )}
    </Panel>
  );
}
