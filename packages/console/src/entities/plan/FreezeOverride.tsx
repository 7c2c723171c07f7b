/** A change that a freeze window refuses: until when and why, and the reason that overrides it. */
import { freezeOverrideCreate, freezeTime, overrideMinutes } from '@slipway/contract/freeze.ts';
import type { PlanFreeze } from '@slipway/contract/pipeline/plan.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { Snowflake } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useWrite } from '#kit/api/write.ts';

export interface FreezeOverride {
  /** The notice and the field, or undefined without a freeze. */
  field: ReactNode;
  /** Why the change cannot be confirmed. */
  disabledReason: string | undefined;
  isNeeded: boolean;
  /** Overrides the freeze with the typed reason. Returns false, with an error at the field, if none was typed. */
  override: () => Promise<boolean>;
}

/** A change that waits for an approval needs no override yet: the approver needs it. */
export const useFreezeOverride = (freeze: PlanFreeze | undefined, needsApproval: boolean): FreezeOverride => {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const [isDone, setDone] = useState(false);
  const write = useWrite(freezeOverrideCreate);
  if (!freeze) return { field: undefined, disabledReason: undefined, isNeeded: false, override: async () => true };
  const canOverride = freeze.canOverride && !needsApproval;
  return {
    isNeeded: canOverride && !isDone,
    disabledReason: freeze.canOverride || needsApproval ? undefined : 'Production is frozen',
    override: async () => {
      if (!canOverride || isDone) return true;
      if (reason.trim() === '') {
        setError('Say why this change cannot wait');
        return false;
      }
      await write.send({ params: { app: freeze.app, env: 'production' }, body: { reason } });
      // The write itself may still fail. Another try needs no second override.
      setDone(true);
      return true;
    },
    field: (
      <div className="stack stack-12">
        <Notice tone="warn" icon={<Snowflake aria-hidden="true" />}>
          <strong>Frozen until {freezeTime(freeze.endsAt, freeze.timeZone)}:</strong> {freeze.reason.replace(/\.$/, '')}.{' '}
          {freezeNote(freeze, needsApproval)}
        </Notice>
        {canOverride && (
          <Field label="Why can’t this change wait?" error={error}>
            <Textarea
              rows={2}
              value={reason}
              maxLength={500}
              onChange={(event) => {
                setReason(event.target.value);
                setError(undefined);
              }}
            />
          </Field>
        )}
      </div>
    ),
  };
};

const freezeNote = ({ name, canOverride }: PlanFreeze, needsApproval: boolean): string => {
  if (needsApproval) return 'You can request the change now. It can be approved when the freeze is over.';
  if (!canOverride) return `You can’t override “${name}”. Rollbacks and deactivations are still possible.`;
  return `You can override “${name}” for this app for ${overrideMinutes} minutes. The activity log and your team get the reason.`;
};
