/** Answers a request or revokes a grant. Answers that need a reason are not sent without it. */
import {
  topicGrantApprove,
  topicGrantDecline,
  topicGrantRevoke,
  topicGrantWithdraw,
  type TopicGrant,
} from '@slipway/contract/streaming/grant.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';

export type Answer = 'approve' | 'decline' | 'revoke' | 'withdraw';

const done: Readonly<Record<Answer, string>> = {
  approve: 'Request approved',
  decline: 'Request declined',
  revoke: 'Grant taken back',
  withdraw: 'Request withdrawn',
};
const needsReason = (which: Answer): boolean => which === 'decline' || which === 'revoke';

export const useAnswer = (grant: TopicGrant) => {
  const approve = useWrite(topicGrantApprove);
  const decline = useWrite(topicGrantDecline);
  const revoke = useWrite(topicGrantRevoke);
  const withdraw = useWrite(topicGrantWithdraw);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState<Answer>();
  const [failure, setFailure] = useState<unknown>();
  const [isMissing, setMissing] = useState(false);
  const params = { grant: grant.id };
  const send: Readonly<Record<Answer, () => Promise<unknown>>> = {
    approve: () => approve.send({ params, body: reason.trim() === '' ? {} : { reason } }),
    decline: () => decline.send({ params, body: { reason } }),
    revoke: () => revoke.send({ params, body: { reason } }),
    withdraw: () => withdraw.send({ params }),
  };
  const answer = async (which: Answer): Promise<void> => {
    const lacks = needsReason(which) && reason.trim() === '';
    setMissing(lacks);
    if (lacks) return;
    setBusy(which);
    setFailure(undefined);
    try {
      await send[which]();
      toast.success(done[which]);
      setReason('');
    } catch (error) {
      setFailure(error);
    }
    setBusy(undefined);
    for (const app of new Set([grant.topic.applicationCode, grant.account.applicationCode])) await refresh({ kind: 'topicGrant', app });
  };
  return { reason, setReason, busy, failure, isMissing, answer };
};
