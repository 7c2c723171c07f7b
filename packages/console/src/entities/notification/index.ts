/** Public interface of the notification entity. */
export { NoticeRow } from './NoticeRow.tsx';
export { useNoticeActions, useNotices } from './use-notices.ts';
