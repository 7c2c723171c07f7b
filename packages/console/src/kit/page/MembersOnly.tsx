/** Placeholder for content that only team members may see. It reveals nothing, not even whether there is any content. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import type { ReactNode } from 'react';

export interface MembersOnlyProps {
  /** Accessible name of the section: "Databases". */
  label: string;
  /** Defaults to "Databases are for members of the team". */
  title?: string;
  /** Whom to ask. */
  children: ReactNode;
}

export function MembersOnly({ label, title = `${label} are for members of the team`, children }: MembersOnlyProps) {
  return (
    <Panel aria-label={label}>
      <EmptyState level={2} kind="no-right" title={title}>
        {children}
      </EmptyState>
    </Panel>
  );
}
