/** Requests by the app's accounts, and requests for its topics. */
import { grantStates, topicGrantList } from '@slipway/contract/streaming/grant.ts';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { stateWord } from '#entities/streaming/grant-labels.ts';
import { grantColumns } from '#entities/streaming/GrantTable.tsx';

const defaults = { ...listDefaults, side: 'received', state: 'ALL' };
const stateOptions = [{ value: 'ALL', label: 'Every state' }, ...grantStates.map((state) => ({ value: state, label: stateWord[state] }))];

export function Component() {
  const { at, place } = useEventsPlace();
  const control = useListControl(defaults);
  const side = control.state.side === 'asked' ? 'asked' : 'received';
  const state = grantStates.find((one) => one === control.state.state);
  const isAsked = at.isMember === true && place !== undefined;
  const list = useQuery(
    topicGrantList,
    isAsked && { params: { ...place }, query: { ...control.filter, side, ...(state ? { state } : {}) } },
    {
      keepPreviousData: true,
    },
  );
  if (place === undefined) return null;
  if (at.isMember === false) {
    return (
      <MembersOnly label="Requests" title="Requests are for members of the team">
        {at.noRight}
      </MembersOnly>
    );
  }
  return (
    <>
      <div className="row row-wrap">
        <Segmented
          label="Whose requests"
          options={[
            { value: 'received', label: 'To this app' },
            { value: 'asked', label: 'By this app' },
          ]}
          value={side}
          onChange={(next) => control.set({ side: next, page: 0 })}
        />
        <span>
          <Select
            aria-label="State"
            options={stateOptions}
            value={state ?? 'ALL'}
            onChange={(next) => control.set({ state: next, page: 0 })}
          />
        </span>
      </div>
      <ResourceList
        label="Requests"
        noun="request"
        plural="requests"
        list={list}
        control={control}
        columns={grantColumns(() => place)}
        rowKey={({ id }) => id}
        density="tall"
        firstUse={{ title: 'No requests found', text: 'An account of another app that lists a topic of this one asks for it here.' }}
        noMatch={{ title: 'No requests found' }}
      />
    </>
  );
}
