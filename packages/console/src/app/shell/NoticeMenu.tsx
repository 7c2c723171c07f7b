/** The tray in the header: a bell with the unread count, and the newest notices. Opening a notice marks it as read. */
import { maxUnread, type Notice } from '@slipway/contract/notification/notice.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import type { MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { Bell, CheckCheck, Inbox, SlidersHorizontal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { NoticeRow, useNoticeActions, useNotices } from '#entities/notification/index.ts';
import { paths } from '#entities/paths.ts';
import { LazyMenu } from '#kit/later/LazyMenu.tsx';
import { whenPageReady } from '#kit/later/page-ready.ts';
import css from './ShellHeader.module.css';

const SHOWN = 12;

export const unreadWord = (unread: number): string => (unread > maxUnread ? `${maxUnread}+` : String(unread));

export function NoticeMenu() {
  // The first screen does not wait for the tray.
  const [isWanted, setWanted] = useState(false);
  useEffect(() => whenPageReady(() => setWanted(true)), []);
  const { data } = useNotices(SHOWN, { isWanted });
  const { set, readAll } = useNoticeActions();
  const notices = data?.content ?? [];
  const unread = data?.unread ?? 0;
  const rowOf = (notice: Notice): MenuItem => ({
    label: notice.title,
    href: notice.path,
    content: <NoticeRow notice={notice} />,
    ...(notice.isRead ? {} : { onOpen: () => void set(notice.id, 'READ') }),
  });
  const group = (heading: string, some: readonly Notice[]): MenuItem[] => (some.length > 0 ? [{ heading }, ...some.map(rowOf)] : []);
  const items: MenuItem[] = [
    ...(notices.length === 0 ? [{ heading: 'Nothing new. Notifications of your teams appear here.' }] : []),
    ...group(
      'Needs you',
      notices.filter(({ needsYou }) => needsYou),
    ),
    ...group(
      'Good to know',
      notices.filter(({ needsYou }) => !needsYou),
    ),
    'line',
    { label: 'All notifications', href: paths.notifications(), icon: <Inbox aria-hidden="true" /> },
    ...(unread > 0 ? [{ label: 'Mark all read', icon: <CheckCheck aria-hidden="true" />, onSelect: () => void readAll() }] : []),
    { label: 'Notification settings', href: paths.notifications('settings'), icon: <SlidersHorizontal aria-hidden="true" /> },
  ];
  const badge = unread > 0 && (
    <span className={css.unread} aria-hidden="true">
      {unreadWord(unread)}
    </span>
  );
  return (
    <LazyMenu
      items={items}
      trigger={
        <IconButton
          className={css.bell}
          variant="quiet"
          label={unread > 0 ? `Notifications, ${unreadWord(unread)} new` : 'Notifications'}
          icon={
            <>
              <Bell aria-hidden="true" />
              {badge}
            </>
          }
        />
      }
    />
  );
}
