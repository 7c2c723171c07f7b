/** A list's table in a panel, or the reason why it could not be loaded. */
import { Panel, PanelHead, type PanelHeadProps } from '@slipway/ui/layout/Panel.tsx';
import { Table, type TableProps } from '@slipway/ui/list/Table.tsx';
import { useId, type ReactNode, type Ref } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from './ListError.tsx';

export interface ListPanelProps<Row> extends Omit<TableProps<Row>, 'isLoading'> {
  /** The noun in "The services could not be loaded". */
  plural: string;
  /** The query that loads the rows. */
  list: FailedQuery & { data?: unknown };
  /** Panel head above the table. Without it the table's label also names the panel. */
  head?: Omit<PanelHeadProps, 'titleId' | 'level'>;
  /** Whom to ask for access. */
  noRight?: ReactNode;
  /** Below the table. */
  children?: ReactNode;
  ref?: Ref<HTMLElement>;
}

export function ListPanel<Row>({ plural, list, head, noRight, children, ref, ...table }: ListPanelProps<Row>) {
  const id = useId();
  return (
    <Panel ref={ref} {...(head ? { 'aria-labelledby': id } : { 'aria-label': table.label })}>
      {head && <PanelHead {...head} titleId={id} />}
      {list.error && !list.data ? <ListError what={plural} query={list} noRight={noRight} /> : <Table {...table} isLoading={!list.data} />}
      {children}
    </Panel>
  );
}
