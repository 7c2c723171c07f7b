/** One entry of the activity log in full: its changes, origin and outcome, and a link to share. */
import type { Activity } from '@slipway/contract/activity.ts';
import { subjectPath } from '@slipway/contract/kinds.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { exactTime } from '@slipway/ui/format/relative-time.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Workflow } from 'lucide-react';
import { useState } from 'react';
import { pipelinePath } from '#entities/paths.ts';
import { levelLook } from '#entities/status.ts';
import { activityReasonName, activityTypeName, originNames, outcomeLook, subjectLabel } from './activity-labels.ts';
import { ActivityChanges } from './ActivityChanges.tsx';

export interface ActivityEntryProps {
  entry: Activity | null | undefined;
  /** URL of the entry, without the current filter. */
  address: string;
  onClose: () => void;
}

export function ActivityEntry({ entry, address, onClose }: ActivityEntryProps) {
  // Keeps the texts while the dialog closes.
  const [shown, setShown] = useState(entry);
  if (entry && entry !== shown) setShown(entry);
  return (
    <Dialog
      isOpen={Boolean(entry)}
      onClose={onClose}
      size="lg"
      hasClose
      title={shown?.message ?? ''}
      {...(shown ? { description: `${activityTypeName(shown.type)}, ${exactTime(new Date(shown.at))}` } : {})}
      footNote={
        <span className="row">
          Link to this entry <Copy text={address} what="link to this entry" />
        </span>
      }
      actions={
        <>
          {shown?.pipelineId && (
            <LinkButton
              icon={<Workflow aria-hidden="true" />}
              href={pipelinePath({ pipelineId: shown.pipelineId, subject: shown.subject ?? nothing })}
            >
              View pipeline
            </LinkButton>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {shown && <Facts entry={shown} />}
    </Dialog>
  );
}

/** Stands in for the subject of an entry about the platform itself. */
const nothing = { kind: '', names: {} };

function Facts({ entry }: { entry: Activity }) {
  const { level, actor, origin, outcome, type, reason, subject, traceId, before, after } = entry;
  const href = subject ? subjectPath(subject) : undefined;
  return (
    <div className="stack">
      <KeyValue
        items={[
          { label: 'Who', value: actor.displayName },
          { label: 'From', value: originNames[origin] },
          { label: 'Outcome', value: <Status tone={outcomeLook[outcome].tone}>{outcomeLook[outcome].word}</Status> },
          { label: 'Level', value: <Status tone={levelLook[level].tone}>{levelLook[level].word}</Status> },
          { label: 'Reason', value: activityReasonName(reason) },
          { label: 'Type', value: <code>{type}</code> },
          ...(subject ? [{ label: 'About', value: href ? <Link href={href}>{subjectLabel(subject)}</Link> : subjectLabel(subject) }] : []),
          ...(traceId === null ? [] : [{ label: 'Trace id', value: <code>{traceId}</code> }]),
        ]}
      />
      <ActivityChanges before={before} after={after} />
    </div>
  );
}
