/** Teams: mine and all, found and sorted by the server, with everything in the address. */
import { teamList, type Team } from '@slipway/contract/team.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { EmptyState } from '@slipway/ui/EmptyState.tsx';
import { Link } from '@slipway/ui/Link.tsx';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { Pagination } from '@slipway/ui/Pagination.tsx';
import { Panel } from '@slipway/ui/Panel.tsx';
import { RelativeTime } from '@slipway/ui/RelativeTime.tsx';
import { SearchInput } from '@slipway/ui/SearchInput.tsx';
import { Status } from '@slipway/ui/Status.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/Table.tsx';
import { TabsNav } from '@slipway/ui/TabsNav.tsx';
import { Tag } from '@slipway/ui/Tag.tsx';
import { Plus } from 'lucide-react';
import { useLocation } from 'react-router';
import { useMe } from '#entities/team/me.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { useSearchText, useUrlState, type UrlStateControl } from '#kit/state/url-state.ts';
import { roleIn, teamLook } from './team-labels.ts';

const defaults = { query: '', sort: 'displayName', page: 0 };
const pageSize = 25;
type Control = UrlStateControl<typeof defaults>;

const columnsFor = (me: string | undefined): Column<Team>[] => [
  {
    key: 'displayName',
    header: 'Team',
    isSortable: true,
    phone: 'title',
    cell: (team) => (
      <Link className={cellMain} href={paths.team(team.id)}>
        {team.displayName}
      </Link>
    ),
  },
  { key: 'id', header: 'Team code', isSortable: true, phone: 'meta', cell: (team) => <code className="quiet">{team.id}</code> },
  {
    key: 'role',
    header: 'You',
    phone: 'status',
    cell: (team) => {
      const look = teamLook[team.state];
      if (look) return <Status tone={look.tone}>{look.word}</Status>;
      const role = roleIn(team, me);
      return role ? <Tag>{role}</Tag> : <span className="meta">–</span>;
    },
  },
  { key: 'members', header: 'Members', align: 'end', cell: (team) => new Set([...team.ownerIds, ...team.memberIds]).size },
  { key: 'apps', header: 'Apps', align: 'end', phone: 'end', cell: (team) => <AppCount count={team.applicationCount} /> },
  {
    key: 'createdAt',
    header: 'Created',
    align: 'end',
    isSortable: true,
    cell: (team) => (
      <span className="meta">
        <RelativeTime at={team.status.creationTimestamp} isShort />
      </span>
    ),
  },
];

/** The word is needed where the header is not there, on phones. */
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
  const control = useUrlState(defaults);
  const { state } = control;
  const filter = { page: state.page, size: pageSize, sort: state.sort, ...(state.query ? { query: state.query } : {}) };
  const mine = useQuery(teamList, me && { query: { ...(isMine ? filter : { size: 1 }), identityId: me.id } }, { keepPreviousData: true });
  const all = useQuery(teamList, { query: isMine ? { size: 1 } : filter }, { keepPreviousData: true });
  const teams = isMine ? mine : all;
  const countOf = (list: typeof mine, isFiltered: boolean) => (list.data && !isFiltered ? { count: list.data.totalElements } : {});
  usePageTitle([isMine ? 'My teams' : 'All teams']);
  return (
    <>
      <PageHeader
        isList
        hasTabs
        name="Teams"
        actions={
          <LinkButton href={paths.newTeam()} variant="primary" icon={<Plus aria-hidden="true" />}>
            New Team
          </LinkButton>
        }
      >
        <TabsNav
          label="Which teams"
          items={[
            { label: 'My Teams', href: paths.myTeams(), isCurrent: isMine, ...countOf(mine, isMine && state.query !== '') },
            { label: 'All Teams', href: paths.allTeams(), isCurrent: !isMine, ...countOf(all, !isMine && state.query !== '') },
          ]}
        />
      </PageHeader>
      <PageBody className="stack stack-12">
        <TeamSearch control={control} />
        <TeamTable teams={teams} control={control} isMine={isMine} me={me?.id} />
      </PageBody>
    </>
  );
}

function TeamSearch({ control: { state, set } }: { control: Control }) {
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  return <SearchInput hasShortcut label="Filter teams by name or code" value={text} onChange={setText} />;
}

interface TeamTableProps {
  teams: QueryResult<typeof teamList>;
  control: Control;
  isMine: boolean;
  me: string | undefined;
}

function TeamTable({ teams, control: { state, set, hrefOf }, isMine, me }: TeamTableProps) {
  const isDescending = state.sort.startsWith('-');
  const label = isMine ? 'My teams' : 'All teams';
  return (
    <>
      <Panel aria-label={label}>
        {teams.error && !teams.data ? (
          <ListError what="teams" query={teams} />
        ) : (
          <Table
            label={label}
            columns={columnsFor(me)}
            rows={teams.data?.content ?? []}
            rowKey={(team) => team.id}
            sort={{ key: state.sort.replace(/^-/, ''), isDescending }}
            onSort={(next) => set({ sort: `${next.isDescending ? '-' : ''}${next.key}` })}
            isLoading={!teams.data}
            loadingRows={5}
            empty={<NoTeams isMine={isMine} query={state.query} onClear={() => set(defaults)} />}
          />
        )}
      </Panel>
      <Pagination label="teams" page={state.page + 1} pageCount={pageCountOf(teams.data)} hrefOf={(page) => hrefOf({ page: page - 1 })} />
    </>
  );
}

function NoTeams({ isMine, query, onClear }: { isMine: boolean; query: string; onClear: () => void }) {
  if (query !== '') {
    return (
      <EmptyState
        level={2}
        kind="no-match"
        title={`No team matches “${query}”`}
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        {isMine ? 'Only your teams were searched.' : 'All teams were searched.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      level={2}
      kind="first-use"
      title={isMine ? 'You are in no team yet' : 'There are no teams yet'}
      actions={
        <LinkButton href={paths.newTeam()} icon={<Plus aria-hidden="true" />}>
          New Team
        </LinkButton>
      }
    >
      A team owns apps: its members deploy them, its owners decide who is in. Make one, or ask an owner of a team to add you.
    </EmptyState>
  );
}
