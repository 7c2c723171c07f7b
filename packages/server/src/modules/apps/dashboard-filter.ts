/** Query parameters of the dashboard's list, and the resulting SQL conditions. */
import { sql, type RawBuilder } from 'kysely';
import { healthStates, type ServiceHealth } from '@slipway/contract/application.ts';

export interface DashboardFilter {
  readonly identityId: string;
  readonly mine: boolean;
  readonly query: string | undefined;
  readonly teams: readonly string[];
  readonly health: readonly ServiceHealth[];
  readonly sort: string | undefined;
  readonly page: number;
  readonly size: number;
}

/** Rows store health as a rank, worst first: the index in the contract's list. */
export const healthOf = (rank: number): ServiceHealth => healthStates[rank] ?? 'NONE';
const ranksOf = (health: readonly ServiceHealth[]): number[] => health.map((item) => healthStates.indexOf(item));

/** Teams and ranks that filter the list. Undefined means no filter. */
export interface Scope {
  readonly teams: readonly string[] | undefined;
  readonly ranks: readonly number[] | undefined;
}
export const tabScope = ({ mine }: DashboardFilter, mineTeams: readonly string[]): Scope => ({
  teams: mine ? mineTeams : undefined,
  ranks: undefined,
});
export const listScope = ({ mine, teams, health }: DashboardFilter, mineTeams: readonly string[]): Scope => {
  const chosen = teams.length > 0 ? teams : undefined;
  return {
    teams: mine ? mineTeams.filter((team) => chosen?.includes(team) ?? true) : chosen,
    ranks: health.length > 0 ? ranksOf(health) : undefined,
  };
};

export const inScope = ({ teams, ranks }: Scope): RawBuilder<boolean> =>
  sql<boolean>`${teams ? sql`overview.team_id = any (${teams})` : sql`true`} and ${ranks ? sql`overview.worst = any (${ranks})` : sql`true`}`;

/** Tests each app. `byIndex` preselects candidates if there are few. */
export const hasText = (query: string | undefined): RawBuilder<boolean> =>
  query ? sql<boolean>`position(lower(${query}) in overview.search) > 0` : sql<boolean>`true`;
export const byIndex = (query: string): RawBuilder<boolean> =>
  sql<boolean>`search_grams(overview.search) @> sought_grams(lower(${query})) and ${hasText(query)}`;
