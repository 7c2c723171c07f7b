/** One secret group: its keys in both environments, the services that read it, and its history. */
import { secretGroupView, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { count } from '@slipway/ui/format/count.ts';
import type { Params } from 'react-router';
import { preloadQuery } from '#kit/api/query.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { AttachedPanel } from '#features/secrets/attach/AttachedPanel.tsx';
import { GroupActions } from './GroupActions.tsx';
import { GroupTags } from '#features/secrets/list/GroupList.tsx';
import { GroupScreen } from '#features/secrets/GroupScreen.tsx';
import { KeysPanel } from './KeysPanel.tsx';
import { useOtherEnvironment, type GroupPlace } from '#features/secrets/use-group.ts';
import { VersionComparePanel } from './VersionComparePanel.tsx';
import { VersionsPanel } from './VersionsPanel.tsx';

export function Component() {
  return (
    <GroupScreen>
      {({ place, group, team }) => <Screen key={`${place.env}/${place.group}`} place={place} group={group} team={team} />}
    </GroupScreen>
  );
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env = '', secretGroup: group = '' }: Params): void =>
  preloadQuery(secretGroupView, { params: { app, env, group } });

function Screen({ place, group, team }: { place: GroupPlace; group: SecretGroup | undefined; team: string }) {
  const other = useOtherEnvironment(place);
  usePageTitle([place.group, place.app, place.env]);
  return (
    <>
      <PageHeader
        typeLabel="Secret group"
        name={place.group}
        copyText={place.group}
        status={group && <GroupTags group={group} />}
        actions={group && <GroupActions group={group} place={place} team={team} />}
      >
        <Details items={detailsOf(group)} />
      </PageHeader>
      <EntityBar
        env={place.env}
        hrefOf={(env) => (env === place.env || other ? paths.secretGroup({ ...place, env }) : paths.secretGroups({ ...place, env }))}
      />
      <PageBody padding="flush" className="split split-side">
        <div className="stack stack-24">
          <KeysPanel place={place} group={group} other={other} team={team} />
          <VersionComparePanel place={place} group={group} />
          <AttachedPanel place={place} group={group} team={team} />
        </div>
        <VersionsPanel place={place} team={team} />
      </PageBody>
    </>
  );
}

const detailsOf = (group: SecretGroup | undefined): Detail[] => {
  if (!group) return [{ label: 'Newest version', value: '–' }];
  return [
    { label: 'Newest version', value: String(group.version) },
    { label: 'Keys', value: String(group.keys.length) },
    { label: 'Attached to', value: count(group.services.length, 'service') },
    { label: 'Attach to new services', value: group.autoAttach ? 'Yes' : 'No' },
    { label: 'Changed', value: <RelativeTime at={group.updatedAt} isShort /> },
    { label: 'Made by', value: group.createdBy.displayName },
  ];
};
