/** Requests by the app's accounts, and requests for its topics. */
import { topicGrantView } from '@slipway/contract/streaming/grant.ts';
import { RequestInbox } from '#entities/request/RequestInbox.tsx';
import { useQuery } from '#kit/api/query.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { ReadFields } from './ReadFields.tsx';
import { RequestChecks } from './RequestChecks.tsx';

export function Component() {
  const { at, place } = useEventsPlace();
  if (place === undefined) return null;
  if (at.isMember === false) {
    return (
      <MembersOnly label="Requests" title="Requests are for members of the team">
        {at.noRight}
      </MembersOnly>
    );
  }
  if (at.isMember === undefined) return null;
  return (
    <RequestInbox
      scope={{ app: place.app, environment: place.env }}
      more={({ subject, status }) => status === 'PENDING' && <GrantFacts grant={subject.id} />}
    />
  );
}

/** Facts for the approver: classification, fields, and current users. */
function GrantFacts({ grant: id }: { grant: string }) {
  const { data: grant } = useQuery(topicGrantView, { params: { grant: id } });
  if (!grant) return null;
  return (
    <div className="stack stack-12">
      <RequestChecks grant={grant} />
      <ReadFields grant={grant} />
    </div>
  );
}
