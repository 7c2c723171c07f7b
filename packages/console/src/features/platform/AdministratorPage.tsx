/** A page for administrators of the platform: for others one sentence, and the load error if its query failed. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import type { ReactNode } from 'react';
import { useMe } from '#entities/team/me.ts';
import { ListError, type ListErrorProps } from '#kit/list/ListError.tsx';
import { PlainPage, type PlainPageProps } from '#kit/page/PlainPage.tsx';
import { PlatformTabs } from './PlatformTabs.tsx';

interface AdministratorPageProps extends Pick<PlainPageProps, 'name' | 'lede' | 'actions'>, ListErrorProps {
  query: ListErrorProps['query'] & { data: unknown };
  /** Shown to users without the right. */
  noRight: string;
  children: ReactNode;
}

/** Returns whether the user is an administrator, once known. Queries of such a page wait for it. */
export const useIsAdministrator = (): boolean | undefined => useMe().data?.isAdministrator;

export function AdministratorPage({ name, lede, actions, query, what, noRight, children }: AdministratorPageProps) {
  const isAdministrator = useIsAdministrator();
  return (
    <PlainPage
      name={name}
      lede={lede}
      actions={isAdministrator === true && actions}
      tabs={isAdministrator && <PlatformTabs />}
      className="stack stack-24"
    >
      {isAdministrator === false ? (
        <Panel aria-label={name}>
          <EmptyState level={2} kind="no-right" title={`${name} is for platform administrators`}>
            {noRight}
          </EmptyState>
        </Panel>
      ) : query.error && !query.data ? (
        <Panel aria-label={name}>
          <ListError what={what} query={query} />
        </Panel>
      ) : (
        children
      )}
    </PlainPage>
  );
}
