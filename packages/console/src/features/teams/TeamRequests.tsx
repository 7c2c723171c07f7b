/** Topic requests to and by a team, across all of its apps and both environments. Pending ones first. */
import { topicGrantTeamList, type TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import type { AppRef } from '#entities/paths.ts';
import { grantColumns } from '#entities/streaming/GrantTable.tsx';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';

const defaults = { ...listDefaults, tab: 'requests', side: 'received' };

export function TeamRequests({ team }: { team: string }) {
  const control = useListControl(defaults);
  const side = control.state.side === 'asked' ? 'asked' : 'received';
  const list = useQuery(topicGrantTeamList, { params: { team }, query: { ...control.filter, side } }, { keepPreviousData: true });
  const placeOf = ({ topic, account, environmentClass }: TopicGrant): AppRef => ({
    app: side === 'received' ? topic.applicationCode : account.applicationCode,
    env: environmentClass,
  });
  return (
    <>
      <div className="row">
        <Segmented
          label="Whose requests"
          options={[
            { value: 'received', label: 'To this team' },
            { value: 'asked', label: 'By this team' },
          ]}
          value={side}
          onChange={(next) => control.set({ side: next })}
        />
      </div>
      <ResourceList
        label="Requests"
        noun="request"
        plural="requests"
        list={list}
        control={control}
        columns={grantColumns(placeOf, true)}
        rowKey={({ id }) => id}
        density="tall"
        firstUse={{ title: 'No requests found', text: 'An account of another team that lists a topic of this one asks for it here.' }}
        noMatch={{ title: 'No requests found' }}
      />
    </>
  );
}
