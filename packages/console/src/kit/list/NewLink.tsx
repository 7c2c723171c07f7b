/** Link to the form of a new entity. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Plus } from 'lucide-react';

export interface NewLinkProps {
  /** "New topic" */
  label: string;
  href: string;
  /** Why the user may not create one. */
  reason?: string | undefined;
  /** True for the primary action of a page or of an empty list. */
  isMain?: boolean;
  className?: string;
}

export const NewLink = ({ label, href, reason, isMain = false, className }: NewLinkProps) => (
  <LinkButton
    className={className}
    href={href}
    icon={<Plus aria-hidden="true" />}
    disabledReason={reason}
    {...(isMain ? { variant: 'primary' as const } : {})}
  >
    {label}
  </LinkButton>
);
