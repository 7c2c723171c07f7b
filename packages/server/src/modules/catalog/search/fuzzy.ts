/** Finds entries by an inexact name (specification 2, §7), as the onboarding form and the macId dialog do while typing. */
import { sql } from 'kysely';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { distance } from '@slipway/contract/kernel/near-names.ts';
import type { Db } from '#db/database.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { isVisible } from '../entries/entry-row.ts';
import { foundRows, type FoundRow } from './found.ts';
import { pageOfIds } from './records.ts';
import { findTerm, namesWithAny, readTerm } from './term.ts';

const SHOWN = 25;
/** Candidates from this score on have the whole term as their id or the start of their name. */
const NAMED = 0.8;
/** From this likeness on, a word of the name counts as matched. */
const MATCHED = 0.5;

const likeness = (one: string, other: string): number => 1 - distance(one, other) / Math.max(one.length, other.length, 1);

/** Mean over the term's words of the best likeness among the name's words, less for words of the name that nothing matches. */
export const fuzzyScore = (term: readonly string[], name: readonly string[]): number => {
  if (term.length === 0 || name.length === 0) return 0;
  const best = term.map((word) => Math.max(...name.map((other) => likeness(word, other))));
  const matched = Math.min(name.length, best.filter((score) => score >= MATCHED).length);
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length;
  return mean * (0.7 + 0.3 * (matched / name.length));
};

const matchOf = (row: FoundRow, score: number): CatalogMatch => ({
  id: row.id,
  name: row.name,
  score,
  description: row.description,
  status: row.status,
  platformName: row.platform_name ?? '',
  app: row.app_id,
});
export const wordsIn = (norm: string): string[] => norm.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

export const fuzzySearch = async (
  db: Db,
  viewer: Viewer,
  kind: EntryKind,
  text: string,
): Promise<{ fullMatched: boolean; contents: CatalogMatch[] }> => {
  const conditions = [sql<boolean>`entry.kind = ${kind}`, isVisible(viewer)];
  if (text.trim() === '') {
    const { ids } = await pageOfIds(db, conditions, { page: 0, size: SHOWN, sort: '-modifiedDate' });
    return { fullMatched: false, contents: (await foundRows(db, ids)).map((row) => matchOf(row, 0)) };
  }
  const term = await readTerm(db, text.trim());
  const { norm, words } = term;
  const found = await findTerm(db, text.trim(), conditions);
  const candidates = await found.candidates();
  const isFound = candidates.some(({ score }) => score >= NAMED);
  const alike = isFound ? [] : await namesWithAny(db, term, conditions);
  const { rows: names } = await sql<{ id: string; norm: string }>`select id, norm from catalog_entry
    where id = any(${[...candidates.map(({ id }) => id), ...alike]}::text[])`.execute(db);
  const scored = names
    .map((name) => ({
      id: name.id,
      score: name.norm === norm || name.id.toLowerCase() === norm ? 1 : Math.min(0.99, fuzzyScore(words, wordsIn(name.norm))),
    }))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, SHOWN);
  const scores = new Map(scored.map(({ id, score }) => [id, score]));
  const rows = await foundRows(
    db,
    scored.map(({ id }) => id),
  );
  const contents = rows.map((row) => matchOf(row, scores.get(row.id) ?? 0));
  return { fullMatched: contents[0]?.score === 1, contents };
};
