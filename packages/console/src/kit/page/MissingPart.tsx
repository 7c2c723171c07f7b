/** Shown if a part of an existing resource is missing. The 404 page would name the resource in the URL instead of the part. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { PlainPage } from './PlainPage.tsx';

export interface MissingPartProps {
  /** "There is no pipeline pl_1". */
  title: string;
  /** The nearest existing resource. */
  link: { label: string; href: string };
}

export function MissingPart({ title, link }: MissingPartProps) {
  return (
    <PlainPage name={title} title={['Not found']}>
      <Panel aria-label={title}>
        <EmptyState
          kind="no-match"
          level={2}
          title="It may be gone, or the address has a typing mistake"
          actions={<LinkButton href={link.href}>{link.label}</LinkButton>}
        />
      </Panel>
    </PlainPage>
  );
}
