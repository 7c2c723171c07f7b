/** The secret groups of one environment: what they hold, who reads them, and what wants to be done. */
import { secretGroupList, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import { useUrlState, useSearchText } from '#kit/state/url-state.ts';
import css from './GroupList.module.css';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';
import { expiryReminder, restartLabel } from '#features/secrets/secret-labels.ts';

const defaults = { query: '', page: 0 };
const pageSize = 50;

/** Platform groups nobody here can change; those that attach themselves reach every service. */
export function GroupTags({ group }: { group: Pick<SecretGroup, 'kind' | 'autoAttach'> }) {
  return (
    <>
      <Tag>{group.kind === 'PLATFORM' ? 'Platform, read-only' : 'User secret'}</Tag>
      {group.autoAttach && <Tag>Attaches itself</Tag>}
    </>
  );
}

function Services({ services }: Pick<SecretGroup, 'services'>) {
  const restart = restartLabel(services);
  if (restart !== undefined) return <Status tone="warn">{restart}</Status>;
  return <span className="quiet">{services.length === 0 ? 'No service' : count(services.length, 'service')}</span>;
}

function Reminder({ keys }: Pick<SecretGroup, 'keys'>) {
  const reminder = expiryReminder(keys);
  if (!reminder) return null;
  return <Status tone={reminder.tone}>{reminder.word}</Status>;
}

const columns: Column<SecretGroup>[] = [
  {
    key: 'name',
    header: 'Group',
    phone: 'title',
    cell: (group) => (
      <span className={css.name}>
        <Link className={cellMain} href={paths.secretGroup({ app: group.app, env: group.environment, group: group.name })}>
          {group.name}
        </Link>
        <GroupTags group={group} />
      </span>
    ),
  },
  { key: 'version', header: 'Version', phone: 'status', cell: ({ version }) => <span className="num">v{version}</span> },
  { key: 'keys', header: 'Keys', phone: 'end', cell: ({ keys }) => <span className="quiet">{count(keys.length, 'key')}</span> },
  { key: 'services', header: 'Read by', phone: 'meta', cell: ({ services }) => <Services services={services} /> },
  { key: 'expiry', header: 'Reminder', phone: 'extra', cell: ({ keys }) => <Reminder keys={keys} /> },
  {
    key: 'updated',
    header: 'Changed',
    align: 'end',
    cell: ({ updatedAt }) => (
      <span className="meta">
        <RelativeTime at={updatedAt} isShort />
      </span>
    ),
  },
];

export interface GroupListProps {
  place: AppRef;
  /** False until it is known that the reader may ask: strangers get no list, and not even a failed request. */
  isAsked: boolean;
  /** Why no group can be made. */
  reason: string | undefined;
  noRight: string;
}

export function GroupList({ place, isAsked, reason, noRight }: GroupListProps) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const list = useQuery(
    secretGroupList,
    isAsked && { params: { ...place }, query: { page: state.page, size: pageSize, ...(state.query ? { query: state.query } : {}) } },
    { keepPreviousData: true },
  );
  if (isStatus(list.error, 403, 404)) return <SecretsNoRight noRight={noRight} />;
  const isEmpty = list.data?.totalElements === 0 && state.query === '';
  return (
    <>
      {!isEmpty && (
        <div className="row row-wrap">
          <SearchInput className={css.search} hasShortcut label="Filter secret groups" value={text} onChange={setText} />
          {list.data && <span className="meta push num">{count(list.data.totalElements, 'group')}</span>}
        </div>
      )}
      <Panel aria-label="Secret groups">
        {list.error && !list.data ? (
          <ListError what="secret groups" query={list} />
        ) : (
          <Table
            label="Secret groups"
            density="tall"
            columns={columns}
            rows={list.data?.content ?? []}
            rowKey={({ name }) => name}
            isLoading={!list.data}
            empty={<NoGroups place={place} reason={reason} query={state.query} onClear={() => set(defaults)} />}
          />
        )}
      </Panel>
      <Pagination
        label="secret groups"
        page={state.page + 1}
        pageCount={list.data?.totalPages ?? 1}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </>
  );
}

function NoGroups({ place, reason, query, onClear }: { place: AppRef; reason: string | undefined; query: string; onClear: () => void }) {
  if (query !== '') {
    return (
      <EmptyState
        level={2}
        kind="no-match"
        title={`No secret group fits “${query}”`}
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        Groups are hidden by the filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      level={2}
      kind="first-use"
      title={`No secret groups in ${place.env} yet`}
      actions={
        <LinkButton href={paths.newSecretGroup(place)} {...(reason === undefined ? {} : { disabledReason: reason })}>
          New secret group
        </LinkButton>
      }
    >
      A secret group is a named set of keys, sealed at rest. Services read it as variables or files; people read one value at a time, with a
      reason.
    </EmptyState>
  );
}
