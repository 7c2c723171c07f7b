/** Columns that most lists of entities have. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import type { ComponentProps, ReactNode } from 'react';

/** A column of buttons or a menu for each row. Screen readers hear its header. */
export const rowActions = { key: 'actions', header: 'Actions', isHeaderHidden: true, align: 'end' } as const;

/** The entity's name, which links to its page. */
export const nameColumn = <Row,>(
  header: string,
  hrefOf: (row: Row) => string,
  textOf: (row: Row) => ReactNode,
  own: Partial<Column<Row>> = {},
): Column<Row> => ({
  key: 'name',
  header,
  isSortable: true,
  phone: 'title',
  cell: (row) => (
    <Link className={cellMain} href={hrefOf(row)}>
      {textOf(row)}
    </Link>
  ),
  ...own,
});

export const statusColumn = <Row,>(
  lookOf: (row: Row) => { readonly tone: ComponentProps<typeof Status>['tone']; readonly word: string } | undefined,
  own: Partial<Column<Row>> = {},
): Column<Row> => ({
  key: 'status',
  header: 'Status',
  phone: 'status',
  cell: (row) => {
    const look = lookOf(row);
    return look ? <Status tone={look.tone}>{look.word}</Status> : <span className="meta">–</span>;
  },
  ...own,
});

export const timeColumn = <Row,>(header: string, atOf: (row: Row) => string, own: Partial<Column<Row>> = {}): Column<Row> => ({
  key: 'createdAt',
  header,
  align: 'end',
  cell: (row) => (
    <span className="meta">
      <RelativeTime at={atOf(row)} isShort />
    </span>
  ),
  ...own,
});
