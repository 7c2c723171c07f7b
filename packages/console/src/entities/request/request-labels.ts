/** Words for requests: states, due dates, and the groups of the inbox. */
import type { Request, RequestView } from '@slipway/contract/request/request.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { StatusLook } from '#entities/status.ts';

const DAY_MS = 86_400_000;
const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });
const monthDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** Days until the date; negative after it. */
const daysUntil = (date: string, now: number): number =>
  Math.round((Date.parse(date) - Date.parse(new Date(now).toISOString().slice(0, 10))) / DAY_MS);
const NEAR_DAYS = 7;

/** "2 days late", "today", "Tue", "2 Dec". */
export const dueText = (dueOn: string, now = Date.now()): string => {
  const days = daysUntil(dueOn, now);
  if (days < 0) return `${count(-days, 'day')} late`;
  if (days === 0) return 'today';
  return (days < NEAR_DAYS ? weekday : monthDay).format(new Date(dueOn));
};

type Facts = Pick<Request, 'status' | 'isVoid' | 'isLate' | 'dueOn'>;
export const requestLook = ({ status, isVoid, isLate, dueOn }: Facts): StatusLook => {
  if (status === 'PENDING') return { tone: 'warn', word: isLate ? `Waiting, ${dueText(dueOn)}` : `Waiting, due ${dueText(dueOn)}` };
  if (status === 'APPROVED') return { tone: 'ok', word: 'Approved' };
  if (status === 'REJECTED') return { tone: 'bad', word: 'Rejected' };
  return { tone: 'off', word: isVoid ? 'Void' : 'Withdrawn' };
};

/** The short state at the end of a row: the due date while pending. */
export const rowState = (request: Facts): StatusLook =>
  request.status === 'PENDING' ? { tone: request.isLate ? 'warn' : 'idle', word: dueText(request.dueOn) } : requestLook(request);

const groupOf = (request: Request, view: RequestView): string => {
  if (view === 'mine') {
    if (request.status === 'PENDING') return 'Waiting';
    return request.can['raiseAgain'] === true ? 'Needs you' : 'Done';
  }
  if (request.status !== 'PENDING') return 'Decided';
  if (request.isLate) return 'Late';
  return daysUntil(request.dueOn, Date.now()) <= NEAR_DAYS ? 'This week and next' : 'Later';
};
export interface RequestGroup {
  readonly title: string;
  readonly requests: readonly Request[];
}
/** Groups in the order of their first request. */
export const groupsOf = (requests: readonly Request[], view: RequestView): RequestGroup[] => {
  const groups = new Map<string, Request[]>();
  for (const request of requests) {
    const title = groupOf(request, view);
    groups.set(title, [...(groups.get(title) ?? []), request]);
  }
  return [...groups].map(([title, own]) => ({ title, requests: own }));
};
