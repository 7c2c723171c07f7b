/** Link to the form of a new stream: a topic with schema and account in one step. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Plus } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { EventsPlace } from './use-place.ts';

/** `isMain`: the primary action of an empty list. */
export function NewStreamLink({ at, place, isMain = false }: { at: AppPlace; place: EventsPlace; isMain?: boolean }) {
  return (
    <LinkButton
      href={paths.newStream(place)}
      icon={<Plus aria-hidden="true" />}
      {...(isMain ? { variant: 'primary' as const } : {})}
      disabledReason={reasonOf(at.application?.can, 'createService', { team: at.team })}
    >
      New stream
    </LinkButton>
  );
}
