/** Buttons and reason below a request: approve, reject, comment, delegate, withdraw, raise again. */
import type { Request } from '@slipway/contract/request/request.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { Check, Forward } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { DelegateDialog } from './DelegateDialog.tsx';
import css from './RequestDetail.module.css';
import { useRequestWrites } from './use-request-writes.ts';

interface DecideFormProps {
  request: Request;
  /** True while the user has not read the newest revision. */
  isHeld: boolean;
  onDone: (request: Request) => void;
}

export function DecideForm({ request, isHeld, onDone }: DecideFormProps) {
  const writes = useRequestWrites(request);
  const { reason, setReason, busy, failure, missing, write } = writes;
  const [isDelegating, setDelegating] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (missing !== undefined) field.current?.focus();
  }, [missing]);
  const { can, status } = request;
  const isPending = status === 'PENDING';
  const canDecide = can['decide'] === true;
  const held = isHeld ? 'Read the new revision first' : undefined;
  const decide = async (which: 'approve' | 'reject' | 'withdraw' | 'raiseAgain'): Promise<void> => {
    const answer = await write(which);
    if (answer) onDone(answer);
  };
  return (
    <div className={css.decide}>
      <Field
        label={canDecide ? 'Your reason' : 'Comment'}
        labelNote={canDecide ? 'needed to reject, optional to approve' : undefined}
        error={missing}
        className={css.field}
      >
        <Textarea ref={field} rows={2} value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {failure !== undefined && <DialogError error={failure} />}
      {isPending && !canDecide && can['withdraw'] !== true && <p className="meta">{reasonOf(can, 'decide')}</p>}
      {can['decide'] === 'OwnRequest' && <p className="meta">{reasonOf(can, 'decide')}</p>}
      <div className={css.buttons}>
        {canDecide && (
          <>
            <Button
              variant="primary"
              icon={<Check aria-hidden="true" />}
              isBusy={busy === 'approve'}
              busyLabel="Approving"
              disabledReason={held}
              data-request-approve=""
              onClick={() => void decide('approve')}
            >
              Approve
            </Button>
            <Button isBusy={busy === 'reject'} busyLabel="Rejecting" disabledReason={held} onClick={() => void decide('reject')}>
              Reject
            </Button>
          </>
        )}
        {can['raiseAgain'] === true && (
          <Button variant="primary" isBusy={busy === 'raiseAgain'} busyLabel="Raising" onClick={() => void decide('raiseAgain')}>
            Raise again
          </Button>
        )}
        {can['withdraw'] === true && (
          <Button isBusy={busy === 'withdraw'} busyLabel="Withdrawing" onClick={() => void decide('withdraw')}>
            Withdraw
          </Button>
        )}
        <Button variant="quiet" isBusy={busy === 'comment'} busyLabel="Sending" onClick={() => void write('comment')}>
          Only comment
        </Button>
        {can['assign'] === true && (
          <span className={css.push}>
            <Button variant="quiet" icon={<Forward aria-hidden="true" />} onClick={() => setDelegating(true)}>
              Delegate
            </Button>
          </span>
        )}
        {can['raiseAgain'] === true && <span className="meta">Raising again starts from today’s values.</span>}
      </div>
      {isDelegating && <DelegateDialog request={request} writes={writes} onClose={() => setDelegating(false)} />}
    </div>
  );
}
