/** Rolls back to an earlier revision in a dialog: the differences from the current one and a reason. It ends on the service's page, where the traffic moves. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { serviceRollback } from '@slipway/contract/service/service-operations.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useRef, useState, type RefObject } from 'react';
import { useNavigate } from 'react-router';
import { messageFor } from '#kit/error/messages.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';
import { VersionChanges } from '#entities/plan/VersionChanges.tsx';

/** Placeholder reason, because a dry run needs one but does not store it. */
const reasonOfDryRun = 'Dry run';
const longest = 500;

/** Returns the message under the field, or undefined for a valid reason. */
const reasonError = (reason: string): string | undefined => {
  const text = reason.trim();
  if (text === '') return messageFor('Required', { label: 'Reason' });
  return text.length > longest ? messageFor('ExceedsMaximumLength', { label: 'Reason', maximum: String(longest) }) : undefined;
};

export interface RollbackDialogProps {
  revision: Revision;
  onClose: () => void;
  /** The button that opened the dialog. It gets the focus when the dialog closes. */
  button: RefObject<HTMLElement | null>;
}

export default function RollbackDialog({ revision, onClose, button }: RollbackDialogProps) {
  const navigate = useNavigate();
  const [reason, setReason] = useState(`Roll back to revision ${revision.number}`);
  const [error, setError] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const { app, environment, service, name, number } = revision;
  const inputOf = (text: string) => ({ params: { app, env: environment, service }, body: { revision: name, reason: text } });
  return (
    <PlannedAction
      route={serviceRollback}
      input={inputOf(reasonOfDryRun)}
      finalInput={() => {
        const wrong = reasonError(reason);
        setError(wrong);
        if (wrong) field.current?.focus();
        return wrong ? undefined : inputOf(reason.trim());
      }}
      title={`Roll back to revision ${number}`}
      subject={service}
      environment={environmentOf(environment) ?? 'development'}
      confirmLabel={environment === 'production' ? `Roll back production to ${number}` : `Roll back to ${number}`}
      busyLabel="Rolling back"
      initialFocus={field}
      finalFocus={button}
      keepLabel="Cancel"
      onClose={onClose}
      onDone={(run) => {
        toast.success(`Rolling back to revision ${number}`, { href: pipelinePath(run), linkLabel: 'View pipeline' });
        void navigate(paths.service({ app, env: environment, service }), { replace: true });
      }}
    >
      {(plan) => (
        <>
          <p>Creates a new revision with revision {number}’s image, settings and secret versions. Later deploys use these settings too.</p>
          <Field label="Reason" hint="Shown in the service history." error={error}>
            <Textarea
              ref={field}
              rows={2}
              value={reason}
              onFocus={(event) => event.target.select()}
              onChange={(event) => {
                setReason(event.target.value);
                setError(undefined);
              }}
            />
          </Field>
          <VersionChanges image={plan.image} secretVersions={plan.secretVersions} />
          {plan.changes.length === 0 && <p className="quiet">Settings are the same.</p>}
        </>
      )}
    </PlannedAction>
  );
}
