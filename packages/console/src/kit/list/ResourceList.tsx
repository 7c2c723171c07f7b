/** A page's list: search and filters, the sortable table, its empty and error states, and pagination. All state is in the URL. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import type { TableProps } from '@slipway/ui/list/Table.tsx';
import type { ReactNode } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { useSearchText } from '#kit/state/url-state.ts';
import type { ListControl } from './list-control.ts';
import { pageCountOf, totalLabel } from './list-total.ts';
import { ListPanel, type ListPanelProps } from './ListPanel.tsx';
import css from './ResourceList.module.css';

export interface ResourceListProps<Row>
  extends
    Pick<TableProps<Row>, 'label' | 'columns' | 'rowKey' | 'rows' | 'groups' | 'density' | 'phone' | 'loadingRows'>,
    Pick<ListPanelProps<Row>, 'plural' | 'noRight'> {
  /** The singular, as used in sentences. */
  noun: string;
  list: FailedQuery & { data?: Page<Row> | undefined };
  control: ListControl;
  /** Label of the search field; without it there is no search. */
  searchLabel?: string;
  /** True if the list is the main content of the page. */
  hasWideSearch?: boolean;
  /** Controls beside the search: filters, sort order. */
  tools?: ReactNode;
  /** Shown at the end of that row. Defaults to the total, followed by `newLink`. */
  note?: ReactNode;
  /** Link to the form of a new item, also shown in the empty state. */
  newLink?: ReactNode;
  /** Empty state when there are no items at all. */
  firstUse: { title: string; text: ReactNode; actions?: ReactNode };
  /** Empty state when nothing matches the search or filter. */
  noMatch?: { title?: string; text?: ReactNode; clearLabel?: string };
}

export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const {
    label,
    plural,
    list,
    control,
    columns,
    rowKey,
    rows,
    groups,
    density,
    phone,
    loadingRows = 5,
    noRight,
    searchLabel,
    tools,
    note = <Total {...props} />,
  } = props;
  const { state, set, hrefOf } = control;
  const hasBar = searchLabel !== undefined || tools !== undefined;
  const isEmpty = list.data?.totalElements === 0 && !control.isFiltered;
  return (
    <>
      {hasBar && !isEmpty && (
        <div className={props.hasWideSearch ? 'row' : 'row row-wrap'}>
          {searchLabel !== undefined && <ListSearch {...props} label={searchLabel} />}
          {tools}
          {list.data && note}
        </div>
      )}
      <ListPanel
        label={label}
        plural={plural}
        list={list}
        columns={columns}
        {...(groups ? { groups } : { rows: rows ?? list.data?.content ?? [] })}
        rowKey={rowKey}
        density={density}
        phone={phone}
        {...(state.sort === '' ? {} : { sort: { key: state.sort.replace(/^-/, ''), isDescending: state.sort.startsWith('-') } })}
        onSort={(next) => set({ sort: `${next.isDescending ? '-' : ''}${next.key}` })}
        loadingRows={loadingRows}
        noRight={noRight}
        empty={<NothingListed {...props} />}
      />
      <Pagination label={plural} page={state.page + 1} pageCount={pageCountOf(list.data)} hrefOf={(page) => hrefOf({ page: page - 1 })} />
    </>
  );
}

function Total<Row>({ list, noun, plural, newLink }: Pick<ResourceListProps<Row>, 'list' | 'noun' | 'plural' | 'newLink'>) {
  const total = list.data && totalLabel(list.data, noun, plural);
  if (newLink === undefined) return <span className="meta push num">{total}</span>;
  return (
    <span className="row push">
      <span className="meta num">{total}</span>
      {newLink}
    </span>
  );
}

function ListSearch({
  control: { state, set },
  label,
  hasWideSearch,
}: Pick<ResourceListProps<never>, 'control' | 'label' | 'hasWideSearch'>) {
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  return <SearchInput className={hasWideSearch ? 'grow' : css.search} hasShortcut label={label} value={text} onChange={setText} />;
}

type NothingProps = Pick<ResourceListProps<never>, 'noun' | 'plural' | 'control' | 'firstUse' | 'noMatch' | 'newLink'>;
function NothingListed({ noun, plural, control, firstUse, noMatch = {}, newLink }: NothingProps) {
  const { query, page } = control.state;
  if (page > 0) {
    return (
      <EmptyState
        level={2}
        kind="no-match"
        title={`There is no page ${page + 1} of ${plural}`}
        actions={<LinkButton href={control.hrefOf({ page: 0 })}>First page</LinkButton>}
      >
        The list is shorter by now.
      </EmptyState>
    );
  }
  if (!control.isFiltered) {
    return (
      <EmptyState level={2} kind="first-use" title={firstUse.title} actions={firstUse.actions ?? newLink}>
        {firstUse.text}
      </EmptyState>
    );
  }
  const { title = query === '' ? `No ${noun} fits the filter` : `No ${noun} matches “${query}”`, clearLabel = 'Clear the filter' } =
    noMatch;
  const text = noMatch.text ?? (query === '' ? 'Others are hidden by the filter.' : `All ${plural} were searched.`);
  return (
    <EmptyState level={2} kind="no-match" title={title} actions={<Button onClick={control.clear}>{clearLabel}</Button>}>
      {text}
    </EmptyState>
  );
}
