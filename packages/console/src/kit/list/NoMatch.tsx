/** Empty state of a list whose filter hides every row. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';

export const NoMatch = ({ noun, onClear }: { noun: string; onClear: () => void }) => (
  <EmptyState kind="no-match" title={`No ${noun} fits the filter`} actions={<Button onClick={onClear}>Clear the filter</Button>} isCompact>
    Others are hidden by the filter.
  </EmptyState>
);
