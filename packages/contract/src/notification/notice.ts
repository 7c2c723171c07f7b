/** A person's tray. The console's first screen loads this file, so it imports little. */
import * as z from 'zod/mini';
import { After, Instant, PageQuery, pageCodes } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';

/** The badge shows "99+" beyond. */
export const maxUnread = 99;

export const Notice = z.object({
  id: z.string(),
  /** See `noticeTypes`. */
  type: z.string(),
  title: z.string(),
  detail: z.string(),
  /** Page in the console. */
  path: z.string(),
  /** True if somebody waits for you. */
  needsYou: z.boolean(),
  tone: z.enum(['bad', 'warn', 'ok', 'idle']),
  /** Number of events that were joined into this notice. */
  count: z.number(),
  at: Instant,
  isRead: z.boolean(),
});
export type Notice = z.infer<typeof Notice>;
export const NoticePage = z.object({
  content: z.array(Notice),
  /** Counted up to 100. */
  unread: z.number(),
  next: z.nullable(z.string()),
});
export type NoticePage = z.infer<typeof NoticePage>;

const route = routesIn({ tag: 'Notifications', access: 'signedIn' });
export const noticeList = route('noticeList', 'GET /api/v1/me/notifications', {
  summary: 'Own notifications of 90 days, newest first',
  query: z.object({ size: PageQuery.shape.size, after: After }),
  response: NoticePage,
  codes: pageCodes,
});
export const noticeUpdate = route('noticeUpdate', 'PUT /api/v1/me/notifications/{notice}', {
  summary: 'Mark an own notification as read, unread or done; done hides it',
  body: z.object({ state: z.enum(['READ', 'UNREAD', 'DONE'], { error: 'InvalidValue' }) }),
  codes: ['NotificationDoesNotExist', 'InvalidValue'],
});
export const noticeReadAll = route('noticeReadAll', 'POST /api/v1/me/notifications/readings', {
  summary: 'Mark all own notifications as read',
  codes: [],
});
