/** The user's tray: the newest notices, the unread count, and what can be done with them. */
import { noticeList, noticeReadAll, noticeUpdate } from '@slipway/contract/notification/notice.ts';
import { refresh } from '#entities/changes/index.ts';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';

/** `after`: cursor of a later page. */
export const useNotices = (size: number, { isWanted = true, after }: { isWanted?: boolean; after?: string } = {}) =>
  useQuery(noticeList, isWanted && { query: { size, ...(after ? { after } : {}) } }, { pollMs: 60_000 });

const during = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
    await refresh({ kind: 'notice' });
  } catch (error) {
    reportError(error);
  }
};

export const useNoticeActions = () => ({
  set: (notice: string, state: 'READ' | 'UNREAD' | 'DONE') => during(() => call(noticeUpdate, { params: { notice }, body: { state } })),
  readAll: () => during(() => call(noticeReadAll, {})),
});
