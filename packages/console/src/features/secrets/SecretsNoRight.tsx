/** What strangers see in place of secrets: nothing of them, not even whether there are any. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';

export function SecretsNoRight({ noRight }: { noRight: string }) {
  return (
    <Panel aria-label="Secrets manager">
      <EmptyState level={2} kind="no-right" title="Secrets are for members of the team">
        {noRight}
      </EmptyState>
    </Panel>
  );
}
