/** Teams: mine and all. The server searches and sorts; the URL holds the state. */
import { teamList, type Team } from '@slipway/contract/team.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { useLocation } from 'react-router';
import { useMe } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { nameColumn, timeColumn } from '#kit/list/columns.tsx';
import { NewLink } from '#kit/list/NewLink.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { lifecycleLook } from '#entities/status.ts';
import { roleIn } from './team-labels.ts';

const defaults = { ...listDefaults, sort: 'displayName' };

const columnsFor = (me: string | undefined): Column<Team>[] => [
  nameColumn(
    'Team',
    ({ id }) => paths.team(id),
    ({ displayName }) => displayName,
    { key: 'displayName' },
  ),
  { key: 'id', header: 'Team code', isSortable: true, phone: 'meta', cell: ({ id }) => <code className="quiet">{id}</code> },
  {
    key: 'role',
    header: 'You',
    phone: 'status',
    cell: (team) => {
      const look = lifecycleLook[team.state];
      if (look) return <Status tone={look.tone}>{look.word}</Status>;
      const role = roleIn(team, me);
      return role ? <Tag>{role}</Tag> : <span className="meta">–</span>;
    },
  },
  { key: 'members', header: 'Members', align: 'end', cell: (team) => new Set([...team.ownerIds, ...team.memberIds]).size },
  { key: 'apps', header: 'Apps', align: 'end', phone: 'end', cell: ({ applicationCount }) => <AppCount count={applicationCount} /> },
  timeColumn('Created', ({ status }) => status.creationTimestamp, { isSortable: true }),
];

/** Phones hide the table header, so the cell includes the word. */
function AppCount({ count }: { count: number }) {
  return (
    <>
      {count}
      <span className="only-phone"> {count === 1 ? 'app' : 'apps'}</span>
    </>
  );
}

export function Component() {
  const isMine = useLocation().pathname !== paths.allTeams();
  const { data: me } = useMe();
  const control = useListControl(defaults);
  const { filter, state } = control;
  const mine = useQuery(teamList, me && { query: { ...(isMine ? filter : { size: 1 }), identityId: me.id } }, { keepPreviousData: true });
  const all = useQuery(teamList, { query: isMine ? { size: 1 } : filter }, { keepPreviousData: true });
  const countOf = (list: typeof mine, isFiltered: boolean) => (list.data && !isFiltered ? { count: list.data.totalElements } : {});
  usePageTitle([isMine ? 'My teams' : 'All teams']);
  return (
    <>
      <PageHeader isList hasTabs name="Teams" actions={<NewLink isMain label="New Team" href={paths.newTeam()} />}>
        <TabsNav
          label="Which teams"
          items={[
            { label: 'My Teams', href: paths.myTeams(), isCurrent: isMine, ...countOf(mine, isMine && state.query !== '') },
            { label: 'All Teams', href: paths.allTeams(), isCurrent: !isMine, ...countOf(all, !isMine && state.query !== '') },
          ]}
        />
      </PageHeader>
      <PageBody className="stack stack-12">
        <ResourceList
          label={isMine ? 'My teams' : 'All teams'}
          noun="team"
          plural="teams"
          list={isMine ? mine : all}
          control={control}
          columns={columnsFor(me?.id)}
          rowKey={(team) => team.id}
          searchLabel="Filter teams by name or code"
          // Without a search, the tab shows the count.
          note={state.query === '' ? null : undefined}
          newLink={<NewLink label="New Team" href={paths.newTeam()} />}
          firstUse={{
            title: isMine ? 'You are in no team yet' : 'There are no teams yet',
            text: 'A team owns apps: its members deploy them, its owners decide who is in. Make one, or ask an owner of a team to add you.',
          }}
          noMatch={{ text: isMine ? 'Only your teams were searched.' : 'All teams were searched.' }}
        />
      </PageBody>
    </>
  );
}
