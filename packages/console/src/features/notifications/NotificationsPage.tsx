/** The user's notifications of 90 days, and which of them arrive how. */
import type { Notice } from '@slipway/contract/notification/notice.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { useState } from 'react';
import { NoticeRow, useNoticeActions, useNotices } from '#entities/notification/index.ts';
import { paths } from '#entities/paths.ts';
import { useMe } from '#entities/team/me.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { Preferences } from './Preferences.tsx';
import css from './NotificationsPage.module.css';

const PAGE = 30;

export function Component() {
  const { state } = useUrlState({ tab: '' });
  const { data: me } = useMe();
  const isSettings = state.tab === 'settings';
  usePageTitle([isSettings ? 'Notification settings' : 'Notifications']);
  return (
    <>
      <PageHeader isList hasTabs name="Notifications">
        <TabsNav
          label="Notifications"
          items={[
            { label: 'All', href: paths.notifications(), isCurrent: !isSettings },
            { label: 'Settings', href: paths.notifications('settings'), isCurrent: isSettings },
            ...(me?.isAdministrator ? [{ label: 'Mail outbox', href: paths.mailOutbox() }] : []),
          ]}
        />
      </PageHeader>
      <PageBody className="stack">{isSettings ? <Preferences /> : <Notices />}</PageBody>
    </>
  );
}

/** Cursors of the pages that are shown, the first one without. */
function Notices() {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const first = useNotices(PAGE);
  const { readAll } = useNoticeActions();
  const unread = first.data?.unread ?? 0;
  return (
    <Panel aria-labelledby="notices">
      <PanelHead title="All notifications" titleId="notices" note={unread > 0 ? `${unread} new` : undefined}>
        {unread > 0 && (
          <Button size="sm" onClick={() => void readAll()}>
            Mark all read
          </Button>
        )}
      </PanelHead>
      {first.error && !first.data ? (
        <ListError what="notifications" query={first} />
      ) : first.data?.content.length === 0 ? (
        <EmptyState level={2} kind="first-use" title="No notifications">
          Failed pipelines, failing services and expiring secrets of your teams appear here.
        </EmptyState>
      ) : (
        cursors.map((after, index) => (
          <NoticePart
            key={after ?? ''}
            after={after}
            onMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
          />
        ))
      )}
      <PanelFoot>
        <span className="meta">Kept for 90 days. What you did yourself is never sent to you.</span>
      </PanelFoot>
    </Panel>
  );
}

function NoticePart({ after, onMore }: { after: string | undefined; onMore: ((next: string) => void) | undefined }) {
  const { data } = useNotices(PAGE, after === undefined ? {} : { after });
  const { next } = data ?? {};
  return (
    <Loading isLoading={!data} label="Loading notifications" skeleton={<Skeleton height={64} />}>
      <ul className={css.list}>
        {data?.content.map((notice) => (
          <NoticeItem key={notice.id} notice={notice} />
        ))}
      </ul>
      {onMore && next && (
        <div className={css.more}>
          <Button onClick={() => onMore(next)}>Show older ones</Button>
        </div>
      )}
    </Loading>
  );
}

function NoticeItem({ notice }: { notice: Notice }) {
  const { set } = useNoticeActions();
  const { id, path, title, isRead } = notice;
  return (
    <li className={css.item}>
      <Link className={css.link} href={path} onClick={() => void (isRead || set(id, 'READ'))}>
        <NoticeRow notice={notice} />
      </Link>
      <Button size="sm" variant="quiet" aria-label={`Done: ${title}`} onClick={() => void set(id, 'DONE')}>
        Done
      </Button>
    </li>
  );
}
