/** The dashboard's URL state and the server query built from it. */
import { healthStates, type applicationSummaryList, type ServiceHealth } from '@slipway/contract/application.ts';
import type { Call } from '@slipway/contract/kernel/kernel.ts';

export const pageSize = 25;
const none: readonly string[] = [];
/** An empty sort means the server's default: most urgent first. */
export const dashboardDefaults = { query: '', sort: '', team: none, health: none, page: 0 };
export type DashboardState = typeof dashboardDefaults;

export const sorts: readonly { value: string; label: string }[] = [
  { value: '', label: 'Most urgent first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-lastDeploy', label: 'Last deploy, newest first' },
  { value: 'team', label: 'Team, A to Z' },
];

const isHealth = (value: string): value is ServiceHealth => healthStates.some((state) => state === value);

export const dashboardCall = (state: DashboardState, isMine: boolean): Call<typeof applicationSummaryList> => ({
  query: {
    page: state.page,
    size: pageSize,
    ...(isMine ? { mine: 'true' } : {}),
    ...(state.query ? { query: state.query } : {}),
    ...(state.sort ? { sort: state.sort } : {}),
    ...(state.team.length > 0 ? { team: [...state.team] } : {}),
    ...(state.health.length > 0 ? { health: state.health.filter(isHealth) } : {}),
  },
});
