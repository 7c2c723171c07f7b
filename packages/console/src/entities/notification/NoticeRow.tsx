/** One notice: a mark, its title and detail, and when it happened. Unread ones have a bar at the start and say so to screen readers. */
import type { Notice } from '@slipway/contract/notification/notice.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import css from './NoticeRow.module.css';

export function NoticeRow({ notice: { title, detail, tone, at, isRead } }: { notice: Notice }) {
  return (
    <span className={css.row} data-unread={!isRead || undefined}>
      <StatusIcon tone={tone} className={css.mark} />
      <span className={css.title}>
        {title}
        {!isRead && <VisuallyHidden> (new)</VisuallyHidden>}
      </span>
      <span className={css.time}>
        <RelativeTime at={at} isShort />
      </span>
      <span className={css.detail}>{detail}</span>
    </span>
  );
}
