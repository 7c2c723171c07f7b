/** Suggests links: apps for an application of the catalog, and applications for an app. Only what is not linked yet is suggested. */
import { sql } from 'kysely';
import { catalogAppSuggestionList, catalogEntrySuggestionList, suggestedFrom } from '@slipway/contract/catalog/suggestion.ts';
import { ownerRule } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { requireEntry, viewerOf } from '../entries/entry-row.ts';
import { fuzzyScore, fuzzySearch, wordsIn } from './fuzzy.ts';

const SHOWN = 5;
/** Shorter words have no entry in the index, and say little. */
const WORD = 3;
const CANDIDATES = 200;

interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly team_name: string;
}
const likeScore = (one: readonly string[], other: readonly string[]): number => Math.max(fuzzyScore(one, other), fuzzyScore(other, one));

/** Apps that share a word with the name, the best first. */
const appsLike = async (db: Db, caller: Caller, norm: string) => {
  const words = wordsIn(norm);
  const long = words.filter((word) => word.length >= WORD).slice(0, 8);
  if (long.length === 0) return [];
  const text = sql`lower(app.id || E'\n' || app.display_name)`;
  const any = sql.join(
    long.map((word) => sql`search_grams(${text}) @> sought_grams(${word})`),
    sql` or `,
  );
  const { rows } = await sql<AppRow>`select app.id, app.display_name as name, app.team_id as team, team.display_name as team_name
    from app join team on team.id = app.team_id where app.mac_id is null and app.state = 'ACTIVE' and (${any}) limit ${CANDIDATES}`.execute(
    db,
  );
  return rows
    .map(({ id, name, team, team_name: teamName }) => ({
      app: id,
      displayName: name,
      teamName,
      score: Math.max(...[id, name].map((of) => likeScore(words, wordsIn(of.toLowerCase())))),
      canLink: ownerRule(caller, team) === true,
    }))
    .filter(({ score }) => score >= suggestedFrom)
    .toSorted((one, other) => other.score - one.score || (one.app < other.app ? -1 : 1))
    .slice(0, SHOWN);
};

export const suggestionRoutes = (db: Db): Handler[] => [
  handle(catalogAppSuggestionList, async ({ caller, params }) => {
    const { norm, status, app } = await requireEntry(db, await viewerOf(db, caller), 'application', params.appId);
    return status === 'ACTIVE' && app === null ? appsLike(db, caller, norm) : [];
  }),
  handle(catalogEntrySuggestionList, async ({ caller, params }) => {
    const app = await db.selectFrom('app').select(['id', 'display_name', 'mac_id']).where('id', '=', params.app).executeTakeFirst();
    if (!app || app.mac_id !== null) return [];
    const viewer = await viewerOf(db, caller);
    const best = new Map<string, { applicationId: string; applicationName: string; platformName: string | null; score: number }>();
    for (const text of new Set([app.display_name, app.id.replaceAll('-', ' ')])) {
      const { contents } = await fuzzySearch(db, viewer, 'application', text);
      for (const { id, name, platformName, score, status, app: linked } of contents)
        if (status === 'ACTIVE' && linked === null && score >= Math.max(suggestedFrom, best.get(id)?.score ?? 0))
          best.set(id, { applicationId: id, applicationName: name, platformName: platformName || null, score });
    }
    return [...best.values()]
      .toSorted((one, other) => other.score - one.score || (one.applicationId < other.applicationId ? -1 : 1))
      .slice(0, SHOWN);
  }),
];
