/** A change that a second person approves: who may approve it, and the reason that the request gives. */
import type { PlanApproval } from '@slipway/contract/pipeline/plan.ts';
import { serviceChangeRequest, ServiceChangeRequest } from '@slipway/contract/service/approval.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { UserCheck } from 'lucide-react';
import { useWrite } from '#kit/api/write.ts';
import { refresh } from '#entities/changes/index.ts';
import { paths } from '#entities/paths.ts';

const listed = 5;
/** `Olga Owner, Mats Member or an administrator` */
export const approverText = (approvers: readonly { readonly displayName: string }[]): string => {
  const names = approvers.slice(0, listed).map(({ displayName }) => displayName);
  const others = approvers.length > listed ? ['another member'] : [];
  return [...names, ...others].join(', ') + (names.length === 0 ? 'An administrator' : ' or an administrator');
};

type Wanted = Pick<PlanApproval, 'app' | 'environment' | 'request'>;
/** Asks for the approval of a change, and says so. */
export const useChangeRequest = () => {
  const write = useWrite(serviceChangeRequest);
  return async ({ app, environment: env, request }: Wanted, comment = ''): Promise<void> => {
    const text = comment.trim();
    const body = ServiceChangeRequest.parse({ ...request, ...(text === '' ? {} : { comment: text }) });
    const { id, title } = await write.send({ params: { app, env }, body });
    toast.success(`${title}: waits for approval`, { href: paths.requests(id), linkLabel: `Open ${id}` });
    await Promise.all([refresh({ kind: 'service', app, env }), refresh({ kind: 'request' })]);
  };
};

interface ApprovalFieldProps {
  approval: PlanApproval;
  comment: string;
  onComment: (comment: string) => void;
}

export function ApprovalField({ approval: { team, approvers }, comment, onComment }: ApprovalFieldProps) {
  return (
    <div className="stack stack-12">
      <Notice icon={<UserCheck aria-hidden="true" />}>
        <strong>{team} approves changes in production.</strong> {approverText(approvers)} can approve this change. It starts once it is
        approved.
      </Notice>
      <Field label="Why is this change needed?" labelNote="optional, for the approver">
        <Textarea rows={2} value={comment} maxLength={1000} onChange={(event) => onComment(event.target.value)} />
      </Field>
    </div>
  );
}
