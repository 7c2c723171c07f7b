/** A list beside the detail of its chosen item. The items are links, so the address names the chosen one. */
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status, type StatusProps } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useId, type ReactNode } from 'react';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from './ListError.tsx';
import css from './SideList.module.css';

/** Holds a `SideList` and the detail. Below 1024 px the detail follows the list. */
export const BesideList = ({ children }: { children: ReactNode }) => <div className={css.split}>{children}</div>;

export interface SideListProps {
  /** "Webhooks" */
  title: string;
  list: FailedQuery & { data?: { totalElements: number } | undefined };
  /** In the head. */
  action?: ReactNode;
  /** Filters above the items. */
  tools?: ReactNode;
  /** Shown instead of the items. */
  empty?: ReactNode;
  /** The items. */
  children: ReactNode;
  /** Below the items. */
  foot?: ReactNode;
}

export function SideList({ title, list, action, tools, empty, children, foot }: SideListProps) {
  const id = useId();
  const plural = title.toLowerCase();
  return (
    <Panel aria-labelledby={id}>
      <PanelHead title={title} titleId={id} {...(list.data ? { note: String(list.data.totalElements) } : {})}>
        {action}
      </PanelHead>
      {tools && <PanelBody className={`${css.tools} stack stack-12`}>{tools}</PanelBody>}
      {list.error && !list.data ? (
        <ListError what={plural} query={list} />
      ) : (
        <Loading
          isLoading={!list.data}
          label={`Loading ${plural}`}
          skeleton={
            <PanelBody>
              <Skeleton height={64} />
            </PanelBody>
          }
        >
          {empty ? (
            <PanelBody>{empty}</PanelBody>
          ) : (
            <nav aria-label={title}>
              <ul className={css.list}>{children}</ul>
            </nav>
          )}
          {foot}
        </Loading>
      )}
    </Panel>
  );
}

export interface SideItemProps {
  name: string;
  href: string;
  isCurrent: boolean;
  look: { tone: StatusProps['tone']; word: string };
  /** True for names that stand in code. */
  isCode?: boolean;
  /** Further lines. */
  children?: ReactNode;
}

export const SideItem = ({ name, href, isCurrent, look: { tone, word }, isCode = false, children }: SideItemProps) => (
  <li>
    <Link className={css.item} href={href} aria-current={isCurrent ? 'true' : undefined}>
      <span className={css.top}>
        <span className={isCode ? `${css.name} ${css.code}` : css.name}>{name}</span>
        <Status tone={tone}>{word}</Status>
      </span>
      {children}
    </Link>
  </li>
);
