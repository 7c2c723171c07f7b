/** Link from an entity in development to its promotion. Renders nothing in production, or while the entity is not active. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { CircleArrowUp } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';

export interface PromoteLinkProps {
  place: EventsPlace;
  kind: 'topics' | 'schemas' | 'accounts';
  entity: { readonly name: string; readonly state: string };
}

export const PromoteLink = ({ place: { app, env }, kind, entity: { name, state } }: PromoteLinkProps) =>
  state === 'ACTIVE' && env === 'development' ? (
    <LinkButton href={paths.promotion({ app, env, kind, name })} icon={<CircleArrowUp aria-hidden="true" />}>
      Promote to production
    </LinkButton>
  ) : null;
