/** Decides several selected requests at once. Each succeeds or fails on its own. */
import { mostDecided, reasonLength, requestBulkDecide, type Request } from '@slipway/contract/request/request.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import css from './RequestInbox.module.css';
import { refreshRequests } from './use-request-writes.ts';

export function BulkBar({ chosen, onDone }: { chosen: readonly Request[]; onDone: () => void }) {
  const bulk = useWrite(requestBulkDecide);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const tooMany = chosen.length > mostDecided ? `At most ${mostDecided} at once` : undefined;
  const decide = async (status: 'APPROVED' | 'REJECTED'): Promise<void> => {
    const text = reason.trim();
    const lacks = status === 'REJECTED' && text.length < reasonLength;
    setError(lacks ? `A rejection needs a reason of at least ${reasonLength} characters` : undefined);
    if (lacks) return;
    setFailure(undefined);
    try {
      const requests = chosen.map(({ id, revision }) => ({ id, revision }));
      const { content } = await bulk.send({ body: { status, requests, ...(text === '' ? {} : { comment: text }) } });
      const failed = content.filter((outcome) => outcome.error !== null);
      const word = status === 'APPROVED' ? 'approved' : 'rejected';
      if (failed.length === 0) toast.success(`${count(content.length, 'request')} ${word}`);
      else
        toast.failure(
          `${content.length - failed.length} ${word}, ${failed.length} not: ${failed.map(({ id, error: why }) => `${id}: ${why?.message}`).join(' ')}`,
        );
      onDone();
    } catch (caught) {
      setFailure(caught);
    }
    await refreshRequests();
  };
  return (
    <section className={css.bulk} aria-label="Selected requests">
      <Field label={`${count(chosen.length, 'request')} selected`} labelNote="reason, needed to reject" error={error}>
        <Input value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {failure !== undefined && <DialogError error={failure} />}
      <div className="row row-wrap">
        <Button
          variant="primary"
          size="sm"
          isBusy={bulk.isBusy}
          busyLabel="Deciding"
          disabledReason={tooMany}
          onClick={() => void decide('APPROVED')}
        >
          Approve {chosen.length}
        </Button>
        <Button size="sm" disabledReason={tooMany} onClick={() => void decide('REJECTED')}>
          Reject {chosen.length}
        </Button>
        <Button variant="quiet" size="sm" onClick={onDone}>
          Clear
        </Button>
      </div>
    </section>
  );
}
