/** Converts the activity log's filters from the URL to API parameters. */
import { activityLevels } from '@slipway/contract/activity.ts';
import { subjectOfKey } from '@slipway/contract/kinds.ts';

export const activityDefaults = {
  query: '',
  level: '',
  type: '',
  reason: '',
  actor: '',
  service: '',
  subject: '',
  team: '',
  app: '',
  trace: '',
  from: '',
  to: '',
  page: 0,
  entry: '',
};
export type ActivityState = typeof activityDefaults;

const dayMs = 86_400_000;
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Converts to an ISO time. A day means the user's local day, from midnight to midnight; other valid times are taken as they are. */
const instantOf = (text: string, isEnd: boolean): string | undefined => {
  const start = new Date(isDay(text) ? `${text}T00:00:00` : text);
  if (text === '' || Number.isNaN(start.getTime())) return undefined;
  if (!isDay(text) || !isEnd) return start.toISOString();
  // Adding 1.5 days always reaches the next day, even when the clocks change.
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
  team?: string;
  app?: string;
  traceId?: string;
  from?: string;
  to?: string;
}

/** Builds the query. Omits empty and invalid filters. `about` limits the log to one service or resource. */
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
    team: state.team || undefined,
    app: state.app || undefined,
    traceId: /^[0-9a-f]{32}$/.test(state.trace) ? state.trace : undefined,
    from,
    to,
  };
};

const filters = ['query', 'level', 'type', 'reason', 'actor', 'service', 'subject', 'team', 'app', 'trace', 'from', 'to'] as const;
/** Returns the number of active filters. */
export const filterCount = (state: ActivityState): number => filters.filter((name) => state[name] !== '').length;
export const noFilter: Partial<ActivityState> = Object.fromEntries(filters.map((name) => [name, '']));
