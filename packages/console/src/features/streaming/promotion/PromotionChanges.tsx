/** The changes in production: setting by setting, as removed and added lines. */
import type { PromotionDifference } from '@slipway/contract/streaming/promotion.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SettingsDiff } from '#features/streaming/parts/SettingsDiff.tsx';

/** Focus target when the user has to review again. */
export const promotionChangesId = 'promoted';

export function PromotionChanges({ isNew, differences }: { isNew: boolean; differences: readonly PromotionDifference[] }) {
  const title = isNew ? 'What production gets' : 'What changes in production';
  return (
    <Panel id={promotionChangesId} tabIndex={-1} aria-labelledby="what-changes">
      <PanelHead title={title} titleId="what-changes" note={differences.length > 0 && count(differences.length, 'setting')} />
      {differences.length === 0 ? (
        <EmptyState kind="first-use" title="Production is the same" isCompact>
          There is nothing to promote.
        </EmptyState>
      ) : (
        <SettingsDiff label={title} changes={differences} isFlush />
      )}
    </Panel>
  );
}
