/**
 * The dashboard's counts. Without a search text they are sums of precomputed rows. With one, at most a thousand matches per tab are
 * counted.
 */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { countedAtMost, totalOf, type Total } from '#kernel/page.ts';
import { isCommon } from '#kernel/text-search.ts';
import { byIndex, hasText, healthOf, inScope, listScope, tabScope, type DashboardFilter, type Scope } from './dashboard-filter.ts';

export interface DashboardCounts {
  readonly mine: number;
  readonly all: number;
  readonly teams: { id: string; name: string; count: number }[];
  readonly health: Record<string, number>;
}
export interface Counted {
  readonly counts: DashboardCounts;
  /** Total of the filtered list. */
  readonly total: Total;
  /** Candidate apps if there are few. If undefined, the list is read in its order. */
  readonly few: { readonly ids: readonly string[] } | 'scope' | undefined;
  /** Ids of the caller's teams. */
  readonly mine: readonly string[];
}

/** Maximum number of teams in the filter. Selected teams are always included. */
const facetTeams = 50;

interface Tally {
  readonly scope: string;
  readonly worst: number;
  readonly apps: number;
}
const everywhere = '*';

const tallyOf = async (db: Db, teams: readonly string[]): Promise<readonly Tally[]> => {
  const { rows } = await sql<Tally>`select scope, worst, sum(apps)::integer as apps from app_tally
    where scope = any (${[everywhere, ...new Set(teams)]}) group by scope, worst`.execute(db);
  return rows;
};
const among = (tally: readonly Tally[], { teams = [everywhere], ranks }: Scope): Tally[] =>
  tally.filter(({ scope, worst }) => teams.includes(scope) && (ranks?.includes(worst) ?? true));
const sum = (tally: readonly Tally[]): number => tally.reduce((total, { apps }) => total + apps, 0);

const healthCounts = (rows: readonly { worst: number; apps: number }[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { worst, apps } of rows) if (apps > 0) counts[healthOf(worst)] = (counts[healthOf(worst)] ?? 0) + apps;
  return counts;
};

const teamCounts = async (db: Db, { teams }: Scope, chosen: readonly string[]): Promise<DashboardCounts['teams']> => {
  const { rows } = await sql<DashboardCounts['teams'][number]>`
    select team_id as id, team_name as name, apps as count from (
      (select * from team_apps where apps > 0 and ${teams ? sql`team_id = any (${teams})` : sql`true`} order by apps desc, team_name limit ${facetTeams})
      union (select * from team_apps where apps > 0 and team_id = any (${chosen}) and ${teams ? sql`team_id = any (${teams})` : sql`true`})
    ) shown order by apps desc, team_name`.execute(db);
  return rows;
};

interface Match {
  readonly app_id: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly worst: number;
}
const matches = async (db: Db, condition: ReturnType<typeof hasText>): Promise<Match[]> => {
  const { rows } = await sql<Match>`select app_id, team_id, team_name, worst from app_overview as overview
    where ${condition} limit ${countedAtMost + 1}`.execute(db);
  return rows;
};
const isIn =
  ({ teams, ranks }: Scope) =>
  (row: Match): boolean =>
    (teams?.includes(row.team_id) ?? true) && (ranks?.includes(row.worst) ?? true);

const countTeams = (rows: readonly Match[], chosen: readonly string[]): DashboardCounts['teams'] => {
  const byTeam = [...Map.groupBy(rows, (row) => row.team_id).values()];
  return byTeam
    .flatMap((of) => (of[0] ? [{ id: of[0].team_id, name: of[0].team_name, count: of.length }] : []))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .filter((team, place) => place < facetTeams || chosen.includes(team.id));
};

/** Counts matches of a search text. */
const countMatches = async (
  db: Db,
  filter: DashboardFilter & { query: string },
  mine: readonly string[],
  inList: number,
): Promise<Counted> => {
  const { query, teams } = filter;
  const isEverywhere = await isCommon(db, { table: 'app_overview', key: 'app_id', text: sql<string>`search` }, query);
  const found = await matches(db, isEverywhere ? hasText(query) : byIndex(query));
  const isWhole = found.length <= countedAtMost;
  const ofMine = { teams: mine, ranks: undefined };
  const inMine = isWhole ? found.filter(isIn(ofMine)) : await matches(db, sql<boolean>`${inScope(ofMine)} and ${hasText(query)}`);
  const inTab = (filter.mine ? inMine : found).slice(0, countedAtMost);
  const scope = listScope(filter, mine);
  const isTabWhole = isWhole || (filter.mine && inMine.length <= countedAtMost);
  const chosen = isTabWhole ? inTab.filter(isIn(scope)) : await matches(db, sql<boolean>`${inScope(scope)} and ${hasText(query)}`);
  return {
    counts: {
      mine: Math.min(inMine.length, countedAtMost),
      all: Math.min(found.length, countedAtMost),
      teams: countTeams(inTab, teams),
      health: healthCounts(inTab.map(({ worst }) => ({ worst, apps: 1 }))),
    },
    total: totalOf(chosen.length),
    few: chosen.length <= countedAtMost ? { ids: chosen.map(({ app_id }) => app_id) } : inList <= countedAtMost ? 'scope' : undefined,
    mine,
  };
};

export const countDashboard = async (db: Db, filter: DashboardFilter): Promise<Counted> => {
  const { identityId, query, teams } = filter;
  const member = await db.selectFrom('team_member').select('team_id').where('identity_id', '=', identityId).execute();
  const mine = member.map(({ team_id }) => team_id);
  const tally = await tallyOf(db, [...mine, ...teams]);
  const inList = sum(among(tally, listScope(filter, mine)));
  if (query) return countMatches(db, { ...filter, query }, mine, inList);
  const tab = tabScope(filter, mine);
  return {
    counts: {
      mine: sum(among(tally, { teams: mine, ranks: undefined })),
      all: sum(among(tally, { teams: undefined, ranks: undefined })),
      teams: await teamCounts(db, tab, teams),
      health: healthCounts(among(tally, tab)),
    },
    total: { total: inList, isAtLeast: false },
    few: inList <= countedAtMost ? 'scope' : undefined,
    mine,
  };
};
