/** The list of any page: its search, the table with its sorting, the states of a list, and its pages. All of it lives in the address. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import type { ReactNode } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { useSearchText, useUrlState, type UrlStateControl } from '#kit/state/url-state.ts';
import { ListError } from './ListError.tsx';
import { pageCountOf } from './list-total.ts';

const pageSize = 25;
const states = new Map<string, { query: string; sort: string; page: number }>();
/** The same object for the same sort: the address's state compares it. */
const defaultsOf = (sort: string) => {
  const known = states.get(sort) ?? { query: '', sort, page: 0 };
  states.set(sort, known);
  return known;
};

export interface ListControl extends UrlStateControl<{ query: string; sort: string; page: number }> {
  /** What the address asks for, as the query of a list's route. */
  filter: { page: number; size: number; sort: string; query?: string };
  clear: () => void;
}
/** `sort`: the order unless another is asked for. */
export const useListControl = (sort: string): ListControl => {
  const defaults = defaultsOf(sort);
  const control = useUrlState(defaults);
  const { page, query } = control.state;
  const filter = { page, size: pageSize, sort: control.state.sort, ...(query === '' ? {} : { query }) };
  return { ...control, filter, clear: () => control.set(defaults) };
};

export interface ResourceListProps<Row> {
  /** Of the table: "My teams". */
  label: string;
  /** One of them and several, as they stand in sentences. */
  noun: string;
  plural: string;
  list: FailedQuery & { data?: Page<Row> | undefined };
  control: ListControl;
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  /** What a search looks in: "name or code". */
  searchedBy: string;
  /** Where there are none at all. */
  firstUse: { title: string; text: ReactNode; actions?: ReactNode };
  /** What was searched, where nothing fits. */
  noMatch?: ReactNode;
  /** Whom to ask for the right to see it. */
  noRight?: ReactNode;
}

export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { label, plural, list, control, columns, rowKey, noRight } = props;
  const { state, set, hrefOf } = control;
  return (
    <>
      <ListSearch control={control} label={`Filter ${plural} by ${props.searchedBy}`} />
      <Panel aria-label={label}>
        {list.error && !list.data ? (
          <ListError what={plural} query={list} noRight={noRight} />
        ) : (
          <Table
            label={label}
            columns={columns}
            rows={list.data?.content ?? []}
            rowKey={rowKey}
            sort={{ key: state.sort.replace(/^-/, ''), isDescending: state.sort.startsWith('-') }}
            onSort={(next) => set({ sort: `${next.isDescending ? '-' : ''}${next.key}` })}
            isLoading={!list.data}
            loadingRows={5}
            empty={<NothingListed {...props} />}
          />
        )}
      </Panel>
      <Pagination label={plural} page={state.page + 1} pageCount={pageCountOf(list.data)} hrefOf={(page) => hrefOf({ page: page - 1 })} />
    </>
  );
}

function ListSearch({ control: { state, set }, label }: { control: ListControl; label: string }) {
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  return <SearchInput hasShortcut label={label} value={text} onChange={setText} />;
}

function NothingListed<Row>({ noun, plural, control, firstUse, noMatch }: ResourceListProps<Row>) {
  const { query } = control.state;
  if (query === '') {
    return (
      <EmptyState level={2} kind="first-use" title={firstUse.title} actions={firstUse.actions}>
        {firstUse.text}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      level={2}
      kind="no-match"
      title={`No ${noun} matches “${query}”`}
      actions={<Button onClick={control.clear}>Clear the filter</Button>}
    >
      {noMatch ?? `All ${plural} were searched.`}
    </EmptyState>
  );
}
