/** Rolls back to an earlier revision: differences from the current one, a reason kept in the history, and the pipeline. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { serviceRollback } from '@slipway/contract/service/service-operations.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useRef, useState, type RefObject } from 'react';
import { useNavigate } from 'react-router';
import { messageFor } from '#kit/error/messages.ts';
import { pipelinePath } from '#entities/paths.ts';
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
  const [reason, setReason] = useState('');
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
      keepLabel="Leave it as it is"
      onClose={onClose}
      onDone={(run) => {
        toast.success(`${service} goes back to revision ${number}`);
        void navigate(pipelinePath(run));
      }}
    >
      {(plan) => (
        <>
          <p>
            Makes a new revision of what revision {number} was made of: its image, its settings and its secret versions together. The
            settings of the service become those, too: the next deploy uses them.
          </p>
          <Field label="Reason" hint="Stands in the history of the service." error={error}>
            <Textarea
              ref={field}
              rows={2}
              value={reason}
              onChange={(event) => {
                setReason(event.target.value);
                setError(undefined);
              }}
            />
          </Field>
          <VersionChanges image={plan.image} secretVersions={plan.secretVersions} />
          {plan.changes.length === 0 && <p className="quiet">No setting differs from what the service has now.</p>}
        </>
      )}
    </PlannedAction>
  );
}
