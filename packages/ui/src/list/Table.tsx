// The semantic table. Columns are data, so every list gets the same header, groups, loading rows and phone layout.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, useState, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { SlowNote, useLoadingState } from '../feedback/Loading.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import { Button } from '../form/Button.tsx';
import css from './Table.module.css';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
  /** Shows the header only to screen readers, for example for a column of actions. */
  isHeaderHidden?: boolean;
  isSortable?: boolean;
  /** The first press sorts in descending order, for example newest first. */
  isDescendingFirst?: boolean;
  /** Label for `phone="flow"`. Defaults to the header if it is text. */
  label?: string;
  /** Position in the two-line row on phones. Columns without one are hidden. */
  phone?: 'title' | 'status' | 'meta' | 'end' | 'action' | 'extra';
  /** Fixed or maximum width in px. */
  width?: number;
  /** Hidden first in narrow windows; on phones `phone` decides. */
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
  /** False if the group continues on another page, so that the number of rows here is not shown as its total. */
  isWhole?: boolean;
}

export interface TableProps<Row> {
  /** Content of the table, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows?: Row[];
  /** Replaces `rows`: groups, each with a heading and a count. */
  groups?: RowGroup<Row>[];
  rowKey: (row: Row) => string;
  isSelected?: (row: Row) => boolean;
  /** Expanded content below a row, or nothing for a collapsed row. The row's own button shows the state (`aria-expanded`). */
  detail?: (row: Row) => ReactNode;
  sort?: Sorting;
  /** Called with the next sorting. A second press on the same column reverses it. */
  onSort?: (next: Sorting) => void;
  density?: 'compact' | 'default' | 'tall';
  /** Layout on phones: two-line rows by the columns' positions, label-value pairs, or a plain table. */
  phone?: 'rows' | 'flow' | 'table';
  isLoading?: boolean;
  /** Number of skeleton rows; use the typical number of rows. */
  loadingRows?: number;
  /** Number of rows per group to show initially; the user can show as many more at a time. Without it all rows are shown. */
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

/** Has the same box sizes as the final rows, so that nothing moves when the data arrives. */
function LoadingBody<Row>({ columns, count, isShown }: { columns: Column<Row>[]; count: number; isShown: boolean }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <tr key={index}>
          {columns.map((column, place) => (
            <td key={column.key} className={cellClass(column)} data-phone={column.phone ?? 'none'}>
              {isShown && <Skeleton width={place === 0 ? SKELETON_WIDTHS[index % SKELETON_WIDTHS.length] : 64} />}
              {place === 0 && index === 0 && <SlowNote />}
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

/** Styles only, for tables whose body is not a plain list of rows. */
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

/** Class of a row's main link: bold in the text color, accent color on hover. */
export const cellMain = css.main;
