/** The people and service accounts of a team, owners first. */
import { identityList, type Identity } from '@slipway/contract/identity.ts';
import type { Team } from '@slipway/contract/team.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { useMe } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import css from './MemberList.module.css';
import { roleIn } from './team-labels.ts';

const defaults = { page: 0 };
const pageSize = 100;

const columnsFor = (team: Team | undefined, me: string | undefined): Column<Identity>[] => [
  {
    key: 'name',
    header: 'Name',
    phone: 'title',
    cell: (person) => (
      <span className={css.person}>
        <Avatar name={person.displayName} isMachine={person.type === 'SERVICE_ACCOUNT'} />
        <strong>{person.displayName}</strong>
        {person.id === me && <span className="meta">you</span>}
      </span>
    ),
  },
  { key: 'email', header: 'E-mail', phone: 'meta', cell: (person) => <span className={`quiet ${css.email}`}>{person.email ?? '–'}</span> },
  { key: 'type', header: 'Type', cell: (person) => <span className="quiet">{person.type === 'USER' ? 'Person' : 'Service account'}</span> },
  {
    key: 'role',
    header: 'Role',
    align: 'end',
    phone: 'status',
    cell: (person) => {
      const role = team && roleIn(team, person.id);
      return role ? <Tag>{role}</Tag> : null;
    },
  },
];

const membersCall = (team: string, page: number) => ({ query: { teamId: team, page, size: pageSize } });
/** What the list asks for when it opens. */
export const firstMembers = (team: string) => membersCall(team, 0);

export function MemberList({ id, team }: { id: string; team: Team | undefined }) {
  const { data: me } = useMe();
  const { state, hrefOf } = useUrlState(defaults);
  const people = useQuery(identityList, membersCall(id, state.page), { keepPreviousData: true });
  const isOwner = (person: Identity): boolean => team?.ownerIds.includes(person.id) ?? false;
  const rows = (people.data?.content ?? []).toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)));
  return (
    <>
      <Panel aria-label="Members">
        {people.error && !people.data ? (
          <ListError what="members" query={people} />
        ) : (
          <Table
            label="Members"
            columns={columnsFor(team, me?.id)}
            rows={rows}
            rowKey={(person) => person.id}
            isLoading={!people.data}
            empty={
              <EmptyState level={2} kind="first-use" title="Nobody is in this team">
                An administrator can add its first owner.
              </EmptyState>
            }
          />
        )}
      </Panel>
      <Pagination
        label="members"
        page={state.page + 1}
        pageCount={pageCountOf(people.data)}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </>
  );
}
