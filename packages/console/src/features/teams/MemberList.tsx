/** The people and service accounts of a team, owners first. */
import { identityList, type Identity } from '@slipway/contract/identity.ts';
import type { Team } from '@slipway/contract/team.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { useMe } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, listFilter, useListControl, type ListFilter } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import css from './MemberList.module.css';
import { roleIn } from './team-labels.ts';

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

const membersCall = (team: string, filter: ListFilter) => ({ query: { ...filter, teamId: team } });
/** The list's first request. */
export const firstMembers = (team: string) => membersCall(team, listFilter(listDefaults, pageSize));

export function MemberList({ id, team }: { id: string; team: Team | undefined }) {
  const { data: me } = useMe();
  const control = useListControl(listDefaults, pageSize);
  const people = useQuery(identityList, membersCall(id, control.filter), { keepPreviousData: true });
  const isOwner = (person: Identity): boolean => team?.ownerIds.includes(person.id) ?? false;
  return (
    <ResourceList
      label="Members"
      noun="member"
      plural="members"
      list={people}
      control={control}
      columns={columnsFor(team, me?.id)}
      rows={(people.data?.content ?? []).toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)))}
      rowKey={(person) => person.id}
      firstUse={{ title: 'Nobody is in this team', text: 'An administrator can add its first owner.' }}
    />
  );
}
