/** The changes of a production service that wait for approval, each with a link to its request. Members of the team see them. */
import { serviceApprovalView } from '@slipway/contract/service/approval.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Hourglass } from 'lucide-react';
import { useQuery } from '#kit/api/query.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { approverText } from '#entities/plan/Approval.tsx';

export function WaitingChanges({ place }: { place: ServiceRef & { env: Environment } }) {
  const { data } = useQuery(serviceApprovalView, place.env === 'production' && { params: { ...place } });
  return data?.requests.map(({ id, title, requestedBy, requestedAt, can }) => (
    <Notice
      key={id}
      tone="warn"
      icon={<Hourglass aria-hidden="true" />}
      actions={
        <LinkButton size="sm" href={paths.requests(id)} aria-label={`${can['decide'] === true ? 'Review' : 'Open'} ${id}`}>
          {can['decide'] === true ? 'Review' : 'Open'}
        </LinkButton>
      }
    >
      <strong>{title}</strong> waits for approval. {requestedBy.displayName} asked for it <RelativeTime at={requestedAt} />.{' '}
      {can['decide'] === true ? 'You can approve it.' : `${approverText(data.approvers)} can approve it.`}
    </Notice>
  ));
}
