/** A one-line notice on a healthy service: its newest revision failed and was stopped. Dismissing it is permanent. */
import { diagnosisSentence, type Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { X } from 'lucide-react';
import { revisionNumber } from '#entities/pipeline/index.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { storedValue } from '#kit/state/stored.ts';
import { useStore } from '#kit/state/store.ts';

const kept = 50;
/** Dismissed failures, newest first, such as `berth/production/berth-api-4`. */
const dismissed = storedValue<readonly string[]>('slipway.dismissed-failures', (raw) =>
  Array.isArray(raw) ? raw.filter((item) => typeof item === 'string').slice(0, kept) : [],
);

interface PastFailureProps {
  place: ServiceRef;
  revision: Revision;
  diagnosis: Diagnosis;
}

export function PastFailure({ place, revision, diagnosis }: PastFailureProps) {
  const hidden = useStore(dismissed);
  const key = `${place.app}/${place.env}/${revision.name}`;
  if (hidden.includes(key)) return null;
  const { evidence, since, stillServing } = diagnosis;
  const href =
    revision.pipelineId === null
      ? paths.revision({ ...place, revision: revision.name })
      : paths.pipeline({ ...place, pipeline: revision.pipelineId });
  return (
    <Notice
      tone="bad"
      actions={
        <>
          <LinkButton size="sm" href={href}>
            See why
          </LinkButton>
          <IconButton
            size="sm"
            variant="quiet"
            label={`Dismiss the failure of revision ${revision.number}`}
            icon={<X aria-hidden="true" />}
            onClick={() => dismissed.set([key, ...hidden].slice(0, kept))}
          />
        </>
      }
    >
      <strong>Revision {revision.number} failed</strong> <RelativeTime at={evidence.event?.lastAt ?? since} />.{' '}
      {diagnosisSentence(diagnosis, true).replace(/\.$/, '')}.
      {stillServing !== null && ` Revision ${revisionNumber(stillServing)} still serves.`}
    </Notice>
  );
}
