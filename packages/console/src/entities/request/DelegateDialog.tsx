/** Delegates a request to another person who may decide it. */
import type { Request } from '@slipway/contract/request/request.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useState } from 'react';
import { PersonSearch, type Person } from '#entities/team/index.ts';
import { ResponseError } from '#kit/api/errors.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { fieldMessage } from '#kit/error/messages.ts';
import type { RequestWrites } from './use-request-writes.ts';

export function DelegateDialog({ request, writes, onClose }: { request: Request; writes: RequestWrites; onClose: () => void }) {
  const [person, setPerson] = useState<Person>();
  const [isMissing, setMissing] = useState(false);
  const isBusy = writes.busy === 'assign';
  const { failure } = writes;
  const refusal = failure instanceof ResponseError ? failure.errors.find(({ field }) => field === 'assignedTo') : undefined;
  const save = async (): Promise<void> => {
    setMissing(person === undefined);
    if (person && (await writes.assign(person.id))) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={isBusy}
      title="Delegate this request"
      description={`The other person gets the notices of ${request.id} and sees it first. Everybody who may decide it still can.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} busyLabel="Handing over" onClick={() => void save()}>
            Delegate
          </Button>
        </>
      }
    >
      <div className="stack stack-12">
        <PersonSearch
          label="Person"
          chosen={person}
          taken={new Set([request.requestedBy.id, ...request.assignedTo.map(({ id }) => id)])}
          emptyText="Nobody fits"
          error={isMissing ? 'Person is required' : refusal && fieldMessage(refusal, 'Person')}
          onAdd={(next) => {
            setPerson(next);
            setMissing(false);
          }}
        />
        {failure !== undefined && !refusal && <DialogError error={failure} />}
      </div>
    </Dialog>
  );
}
