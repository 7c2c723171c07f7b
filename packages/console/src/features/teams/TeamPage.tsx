/** One team: members, apps, and activity. */
import { identityList } from '@slipway/contract/identity.ts';
import { teamKind } from '@slipway/contract/kinds/team.kind.ts';
import { teamView, type Team } from '@slipway/contract/team.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { Bot, Ellipsis, Link2, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Outlet, useMatch, type Params } from 'react-router';
import { preloadQuery } from '#kit/api/query.ts';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { lazyPart } from '#kit/later/lazy-part.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { useMe } from '#entities/team/me.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { EntityNotice } from '#entities/resource/EntityNotice.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { lifecycleLook } from '#entities/status.ts';
import { useTeamRemoval } from './use-team-removal.ts';
import { EditMembersDialog } from './EditMembersDialog.tsx';
import { directoryGroup, githubTeam, type LinkedGroup } from './team-links.ts';
import { TeamLinksDialog } from './TeamLinksDialog.tsx';
import { firstMembers, MemberList } from './MemberList.tsx';
import { ServiceAccountDialog } from './ServiceAccountDialog.tsx';
import type { TeamContext } from './notifications/TeamNotifications.tsx';
import css from './TeamPage.module.css';

/** Loaded when its tab is opened. */
const RequestInbox = lazyPart(
  async () => (await import('#entities/request/RequestInbox.tsx')).RequestInbox,
  () => null,
);

const TeamMap = lazyPart(
  async () => (await import('./TeamMap.tsx')).TeamMap,
  () => null,
);

const defaults = { tab: '' };

const route = entityRoute<{ team: string }, typeof teamView>({ kind: teamKind, route: teamView, Screen: TeamScreen });
export const { Component } = route;

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = (params: Params): void => {
  route.preload(params);
  preloadQuery(identityList, firstMembers(params['team'] ?? ''));
};

function TeamScreen({ place: { team: id }, entity: team }: EntityScreenProps<{ team: string }, Team>) {
  const { state } = useUrlState(defaults);
  const isActivity = state.tab === 'activity-logs';
  const { data: me } = useMe();
  const isMember = me !== undefined && (me.isAdministrator || me.teamRefs.includes(id));
  const isNotifications = useMatch('/team/:team/notifications') !== null;
  const isRequests = state.tab === 'requests' && isMember;
  const isMap = state.tab === 'map';
  const owners = useTeamOwners(id);
  const look = team && lifecycleLook[team.state];
  const tab = isActivity ? 'Activity logs' : isRequests ? 'Requests' : isNotifications ? 'Notifications' : isMap ? 'Map' : undefined;
  usePageTitle([tab, team?.displayName ?? id]);
  return (
    <>
      <PageHeader
        isList
        hasTabs
        typeLabel="Team"
        name={team?.displayName ?? id}
        {...(look ? { status: <Badge tone={look.tone}>{look.word}</Badge> } : {})}
        actions={team ? <TeamActions team={team} /> : <span className={css.actions} />}
      >
        <Details items={detailsOf(id, team)} />
        <TabsNav
          label="Team"
          items={[
            {
              label: 'Members',
              href: paths.team(id),
              isCurrent: tab === undefined,
              ...(team ? { count: new Set([...team.ownerIds, ...team.memberIds]).size } : {}),
            },
            ...(isMember ? [{ label: 'Map', href: paths.team(id, 'map'), isCurrent: isMap }] : []),
            ...(isMember ? [{ label: 'Requests', href: paths.team(id, 'requests'), isCurrent: isRequests }] : []),
            ...(isMember ? [{ label: 'Notifications', href: paths.teamNotifications(id), isCurrent: isNotifications }] : []),
            { label: 'Activity logs', href: paths.team(id, 'activity-logs'), isCurrent: isActivity },
          ]}
        />
      </PageHeader>
      <PageBody className="stack stack-24">
        {team && <TeamNotice team={team} />}
        {isActivity ? (
          <ActivityPanel
            scope={{ team: id }}
            noRight={team && `You are not in ${team.displayName}.${owners ? ` Ask ${owners} to add you.` : ''}`}
          />
        ) : isRequests ? (
          <RequestInbox scope={{ team: id }} />
        ) : isNotifications ? (
          isMember || me === undefined ? (
            <Outlet context={{ id, team } satisfies TeamContext} />
          ) : (
            <MembersOnly label="Notifications" title="Notifications are for members of the team">
              {owners ? `Ask ${owners} to add you.` : 'Ask an owner of the team to add you.'}
            </MembersOnly>
          )
        ) : isMap ? (
          isMember ? (
            <TeamMap id={id} />
          ) : (
            me && (
              <MembersOnly label="Map" title="The map is for members of the team">
                {owners ? `Ask ${owners} to add you.` : 'Ask an owner of the team to add you.'}
              </MembersOnly>
            )
          )
        ) : (
          <MemberList id={id} team={team} />
        )}
      </PageBody>
    </>
  );
}

function TeamNotice({ team }: { team: Team }) {
  const { discard } = useTeamRemoval(team);
  return <EntityNotice kind={teamKind} names={{ team: team.id }} entity={team} team={team.displayName} discard={discard} />;
}

function Linked({ group }: { group: LinkedGroup | undefined }) {
  if (!group) return 'Not linked';
  return group.href === undefined ? group.name : <Link href={group.href}>{group.name}</Link>;
}

const detailsOf = (id: string, team: Team | undefined): Detail[] => {
  const apps = count(team?.applicationCount ?? 0, 'app');
  return [
    { label: 'Team code', value: <code>{id}</code>, copyText: id },
    { label: 'Apps', value: team ? <Link href={`${paths.allApps()}?team=${encodeURIComponent(id)}`}>{apps}</Link> : '–' },
    { label: 'GitHub team', value: team ? <Linked group={githubTeam(team)} /> : '–' },
    { label: 'Directory group', value: team ? <Linked group={directoryGroup(team)} /> : '–' },
    {
      label: 'Changes in production',
      value: team ? (team.needsProductionApproval ? 'Approved by a second person' : 'By each member') : '–',
    },
    { label: 'Created', value: team ? <RelativeTime at={team.status.creationTimestamp} isShort /> : '–' },
  ];
};

function TeamActions({ team }: { team: Team }) {
  const [open, setOpen] = useState<'members' | 'account' | 'links'>();
  const { remove } = useTeamRemoval(team);
  const close = (): void => setOpen(undefined);
  const reason = (verb: string) => disabledUnless(team.can, verb, { team: team.displayName });
  return (
    <>
      <Menu
        trigger={<IconButton label={`More actions for ${team.displayName}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'New service account', icon: <Bot aria-hidden="true" />, onSelect: () => setOpen('account'), ...reason('update') },
          { label: 'Link groups', icon: <Link2 aria-hidden="true" />, onSelect: () => setOpen('links'), ...reason('update') },
          {
            label: 'Delete team',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => confirmAction(remove),
            ...reason('delete'),
          },
        ]}
      />
      <Button variant="primary" icon={<UserPlus aria-hidden="true" />} onClick={() => setOpen('members')} {...reason('update')}>
        Edit members
      </Button>
      {open === 'members' && <EditMembersDialog team={team} onClose={close} />}
      {open === 'links' && <TeamLinksDialog team={team} onClose={close} />}
      {open === 'account' && <ServiceAccountDialog team={team} onClose={close} />}
    </>
  );
}
