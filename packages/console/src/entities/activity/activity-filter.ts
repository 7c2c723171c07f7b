/** What the activity log is filtered by: as it stands in the address, and as the API takes it. */
import { activityLevels } from '@slipway/contract/activity.ts';
import { subjectOfKey } from '@slipway/contract/kernel/kinds.ts';

export const activityDefaults = {
  query: '',
  level: '',
  type: '',
  reason: '',
  actor: '',
  service: '',
  subject: '',
  from: '',
  to: '',
  page: 0,
  entry: '',
};
export type ActivityState = typeof activityDefaults;

const dayMs = 86_400_000;
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** A day is the reader's own, from midnight to midnight; anything else that is a time goes as it stands. */
const instantOf = (text: string, isEnd: boolean): string | undefined => {
  const start = new Date(isDay(text) ? `${text}T00:00:00` : text);
  if (text === '' || Number.isNaN(start.getTime())) return undefined;
  if (!isDay(text) || !isEnd) return start.toISOString();
  // Half a day further is the next day even where the clocks change.
  const next = new Date(start.getTime() + dayMs * 1.5);
  next.setHours(0, 0, 0, 0);
  return next.toISOString();
};

export interface ActivityQuery {
  query?: string;
  level?: (typeof activityLevels)[number];
  type?: string;
  reason?: string;
  actor?: string;
  service?: string;
  subject?: string;
  from?: string;
  to?: string;
}

/** Without what is left empty or makes no sense. `about`: the log of one service, or of one thing, alone. */
export const activityQuery = (
  state: Omit<ActivityState, 'page' | 'entry'>,
  about: Pick<ActivityQuery, 'service' | 'subject'> = {},
): ActivityQuery => {
  const level = activityLevels.find((item) => item === state.level);
  const [from, to] = [instantOf(state.from, false), instantOf(state.to, true)];
  const of = about.service ?? state.service;
  return {
    query: state.query || undefined,
    level,
    type: state.type || undefined,
    reason: state.reason || undefined,
    actor: state.actor || undefined,
    service: of || undefined,
    subject: about.subject ?? (subjectOfKey(state.subject) && state.subject),
    from,
    to,
  };
};

const filters = ['query', 'level', 'type', 'reason', 'actor', 'service', 'subject', 'from', 'to'] as const;
/** How many filters are set. */
export const filterCount = (state: ActivityState): number => filters.filter((name) => state[name] !== '').length;
export const noFilter: Partial<ActivityState> = Object.fromEntries(filters.map((name) => [name, '']));
