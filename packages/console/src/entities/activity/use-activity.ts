/** Reads the activity log of an app, a service or a team, and the entry that the address names. */
import { appActivityList, teamActivityList, type Activity } from '@slipway/contract/activity.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { activityQuery, type ActivityState } from './activity-filter.ts';
import { spanAround } from './entry-time.ts';

export type ActivityScope = { app: string; env: string; service?: string } | { team: string };

const pageSize = 25;
const most = 100;

type Query = NonNullable<Parameters<typeof useQuery<typeof teamActivityList>>[1]>;
const useLog = (scope: ActivityScope, query: (Query & object)['query'] | undefined): QueryResult<typeof teamActivityList> => {
  const isOfTeam = 'team' in scope;
  const team = useQuery(teamActivityList, query && isOfTeam && { params: { team: scope.team }, query }, { keepPreviousData: true });
  const app = useQuery(appActivityList, query && !isOfTeam && { params: { app: scope.app, env: scope.env }, query }, {
    keepPreviousData: true,
  });
  return isOfTeam ? team : app;
};

export const serviceOf = (scope: ActivityScope): string | undefined => ('team' in scope ? undefined : scope.service);

export const useActivity = (scope: ActivityScope, state: ActivityState): QueryResult<typeof teamActivityList> =>
  useLog(scope, { page: state.page, size: pageSize, ...activityQuery(state, serviceOf(scope)) });

/** The entry of the address: among the rows, else looked for at the time that its id tells. Null where there is none such. */
export const useNamedEntry = (scope: ActivityScope, id: string, rows: readonly Activity[] | undefined): Activity | null | undefined => {
  const shown = rows?.find((entry) => entry.id === id);
  const span = id === '' || rows === undefined || shown ? undefined : spanAround(id);
  const around = useLog(scope, span && { ...span, size: most });
  if (id === '' || shown) return shown;
  if (rows === undefined || (span && !around.data)) return undefined;
  return (span && around.data?.content.find((entry) => entry.id === id)) ?? null;
};
