// The semantic table. Columns are data, so that every list gets the same head, groups, loading rows and phone layout for free.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, useState, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { useLoadingState } from '../feedback/Loading.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { Button } from '../form/Button.tsx';
import css from './Table.module.css';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** Keeps the header for screen readers only, as for a column of actions. */
  isHeaderHidden?: boolean;
  isSortable?: boolean;
  /** The first press sorts the last first: of times one wants the newest. */
  isDescendingFirst?: boolean;
  /** Words for `phone="flow"`, where the header is a small label; the header itself if it is text. */
  label?: string;
  /** Place in the two-line row of a phone. Columns without one leave. */
  phone?: 'title' | 'status' | 'meta' | 'end' | 'action' | 'extra';
  /** Fixed or greatest width, in px. */
  width?: number;
  /** The first to leave where the window is narrow; on phones `phone` decides. */
  isRoomy?: boolean;
}

export interface Sorting {
  key: string;
  isDescending: boolean;
}

export interface RowGroup<Row> {
  key: string;
  label: ReactNode;
  rows: Row[];
  /** False where the group goes on beyond this page: the number of its rows here would be taken for all. */
  isWhole?: boolean;
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows?: Row[];
  /** Instead of `rows`: groups with a heading and a count each. */
  groups?: RowGroup<Row>[];
  rowKey: (row: Row) => string;
  isSelected?: (row: Row) => boolean;
  /** What lies open below a row; nothing for those that are closed. The row's own button says which it is (`aria-expanded`). */
  detail?: (row: Row) => ReactNode;
  sort?: Sorting;
  /** Called with the next sorting: a second press on the same column turns it round. */
  onSort?: (next: Sorting) => void;
  density?: 'compact' | 'default' | 'tall';
  /** On phones: two-line rows by the columns' places, label and value pairs, or a plain table. */
  phone?: 'rows' | 'flow' | 'table';
  isLoading?: boolean;
  /** Rows of the skeleton; take the number that usually comes. */
  loadingRows?: number;
  /** Of each group: the others are shown as many at a time, when somebody asks for them. All of them where it is left out. */
  mostRows?: number | undefined;
  /** Shown instead of the table when there are no rows: an EmptyState. */
  empty?: ReactNode;
}

const cellClass = ({ align, isRoomy }: Pick<Column<never>, 'align' | 'isRoomy'>): string | undefined =>
  classNames(align === 'end' && css.end, isRoomy && css.roomy);

function Head<Row>({ columns, sort, onSort }: Pick<TableProps<Row>, 'columns' | 'sort' | 'onSort'>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const isSorted = sort?.key === column.key;
          const ariaSort = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined;
          const header = column.isHeaderHidden ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header;
          const Arrow = sort?.isDescending ? ArrowDown : ArrowUp;
          return (
            <th key={column.key} scope="col" className={cellClass(column)} aria-sort={ariaSort} style={{ width: column.width }}>
              {column.isSortable && onSort ? (
                <button
                  type="button"
                  className={css.sort}
                  data-sorted={isSorted || undefined}
                  onClick={() =>
                    onSort({ key: column.key, isDescending: isSorted ? !sort.isDescending : column.isDescendingFirst === true })
                  }
                >
                  {header}
                  <Arrow aria-hidden="true" className={css.arrow} />
                </button>
              ) : (
                header
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Cells<Row>({ columns, row }: { columns: Column<Row>[]; row: Row }) {
  return columns.map((column) => (
    <td
      key={column.key}
      className={cellClass(column)}
      data-phone={column.phone ?? 'none'}
      data-label={column.label ?? (typeof column.header === 'string' && !column.isHeaderHidden ? column.header : undefined)}
    >
      {column.cell(row)}
    </td>
  ));
}

type BodyProps<Row> = Pick<TableProps<Row>, 'columns' | 'rowKey' | 'isSelected' | 'detail' | 'mostRows'> & { rows: Row[] };
function Body<Row>({ columns, rows, rowKey, isSelected, detail, mostRows = rows.length }: BodyProps<Row>) {
  const [steps, setSteps] = useState(1);
  const left = rows.length - steps * mostRows;
  return (
    <>
      {rows.slice(0, steps * mostRows).map((row) => {
        const open = detail?.(row);
        return (
          <Fragment key={rowKey(row)}>
            <tr data-selected={isSelected?.(row) || undefined}>
              <Cells columns={columns} row={row} />
            </tr>
            {open && (
              <tr className={css.open}>
                <td colSpan={columns.length} data-phone="open">
                  {open}
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
      {left > 0 && (
        <tr className={css.open}>
          <td colSpan={columns.length} data-phone="open">
            <Button size="sm" variant="quiet" onClick={() => setSteps(steps + 1)}>
              Show {Math.min(left, mostRows)} more of {left}
            </Button>
          </td>
        </tr>
      )}
    </>
  );
}

const SKELETON_WIDTHS = [120, 148, 96, 132, 108];

/** Stands in the final rows' boxes, so that nothing moves when the data comes. */
function LoadingBody<Row>({ columns, count, isShown }: { columns: Column<Row>[]; count: number; isShown: boolean }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <tr key={index}>
          {columns.map((column, place) => (
            <td key={column.key} className={cellClass(column)} data-phone={column.phone ?? 'none'}>
              {isShown && <Skeleton width={place === 0 ? SKELETON_WIDTHS[index % SKELETON_WIDTHS.length] : 64} />}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows = [], groups, density = 'default', phone = 'rows', isLoading = false, loadingRows = 3, empty } = props;
  const body = { columns, rowKey: props.rowKey, isSelected: props.isSelected, detail: props.detail, mostRows: props.mostRows };
  const loading = useLoadingState(isLoading);
  const isEmpty = groups ? groups.every((group) => group.rows.length === 0) : rows.length === 0;
  if (loading === 'ready' && isEmpty && empty !== undefined) return empty;
  return (
    <table
      className={classNames(css.table, css[density], phone === 'table' ? css.plain : css[phone])}
      aria-label={label}
      aria-busy={loading !== 'ready' || undefined}
    >
      <Head columns={columns} sort={props.sort} onSort={props.onSort} />
      {loading !== 'ready' ? (
        <LoadingBody columns={columns} count={loadingRows} isShown={loading === 'shown'} />
      ) : groups ? (
        groups
          .filter((group) => group.rows.length > 0)
          .map((group) => (
            <tbody key={group.key}>
              <tr className={css.group}>
                <th colSpan={columns.length} scope="rowgroup">
                  {group.label}
                  {group.isWhole !== false && <span className={css.groupCount}> {group.rows.length}</span>}
                </th>
              </tr>
              <Body {...body} rows={group.rows} />
            </tbody>
          ))
      ) : (
        <tbody>
          <Body {...body} rows={rows} />
        </tbody>
      )}
    </table>
  );
}

/** The look alone, for tables whose body is no plain list of rows. */
export function PlainTable({
  label,
  density = 'default',
  children,
}: {
  label?: string;
  density?: TableProps<never>['density'];
  children: ReactNode;
}) {
  return (
    <table className={classNames(css.table, css[density], css.plain)} aria-label={label}>
      {children}
    </table>
  );
}

/** The class of a row's main link: ink and bold, accent on hover. */
export const cellMain = css.main;
