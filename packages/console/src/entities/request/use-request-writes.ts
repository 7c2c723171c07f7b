/** Writes of the open request. The lists are loaded again after each, whether it succeeded or not. */
import {
  reasonLength,
  requestAssign,
  requestCommentCreate,
  requestDecide,
  requestRaiseAgain,
  requestWithdraw,
  type Request,
} from '@slipway/contract/request/request.ts';
import { requestKind } from '@slipway/contract/kinds/request.kind.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/index.ts';
import { useWrite } from '#kit/api/write.ts';

export type RequestWrite = 'approve' | 'reject' | 'comment' | 'withdraw' | 'raiseAgain' | 'assign';

const done: Readonly<Record<RequestWrite, string>> = {
  approve: 'Request approved',
  reject: 'Request rejected',
  comment: 'Comment added',
  withdraw: 'Request withdrawn',
  raiseAgain: 'Request raised again',
  assign: 'Request delegated',
};
export const refreshRequests = (): Promise<unknown> => refresh({ kind: requestKind.kind });

export interface RequestWrites {
  reason: string;
  setReason: (reason: string) => void;
  busy: RequestWrite | undefined;
  failure: unknown;
  /** Why the reason is not sufficient. */
  missing: string | undefined;
  /** Returns the request after the write, or undefined if nothing was written. */
  write: (which: Exclude<RequestWrite, 'assign'>) => Promise<Request | undefined>;
  assign: (person: string) => Promise<Request | undefined>;
}

export const useRequestWrites = (request: Request): RequestWrites => {
  const decide = useWrite(requestDecide);
  const comment = useWrite(requestCommentCreate);
  const withdraw = useWrite(requestWithdraw);
  const again = useWrite(requestRaiseAgain);
  const assigning = useWrite(requestAssign);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState<RequestWrite>();
  const [failure, setFailure] = useState<unknown>();
  const [missing, setMissing] = useState<string>();
  const params = { request: request.id };
  const text = reason.trim();
  const given = text === '' ? {} : { comment: text };
  const { revision } = request;
  const send = {
    approve: () => decide.send({ params, body: { status: 'APPROVED', revision, ...given } }),
    reject: () => decide.send({ params, body: { status: 'REJECTED', revision, ...given } }),
    comment: () => comment.send({ params, body: { text } }),
    withdraw: () => withdraw.send({ params, body: given }),
    raiseAgain: () => again.send({ params, body: given }),
  };
  const run = async (which: RequestWrite, sending: () => Promise<Request>): Promise<Request | undefined> => {
    setBusy(which);
    setFailure(undefined);
    try {
      const answer = await sending();
      toast.success(done[which]);
      setReason('');
      return answer;
    } catch (error) {
      setFailure(error);
      return undefined;
    } finally {
      setBusy(undefined);
      await refreshRequests();
    }
  };
  return {
    reason,
    setReason: (next) => {
      setReason(next);
      setMissing(undefined);
    },
    busy,
    failure,
    missing,
    write: async (which) => {
      const shortest = which === 'reject' ? reasonLength : which === 'comment' ? 1 : 0;
      const lacks = text.length < shortest;
      setMissing(
        lacks ? (shortest === 1 ? 'Write a comment first' : `A rejection needs a reason of at least ${shortest} characters`) : undefined,
      );
      return lacks ? undefined : run(which, send[which]);
    },
    assign: (person) => run('assign', () => assigning.send({ params, body: { assignedTo: [person], ...given } })),
  };
};
