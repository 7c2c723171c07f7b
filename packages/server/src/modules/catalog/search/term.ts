/** Search terms: candidates by name and text, and the repair of misspelled words. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '#db/database.ts';
import { all } from './records.ts';

type Condition = RawBuilder<boolean>;
/** Ranked matches of a term are limited to this many. */
export const candidatesAtMost = 500;
/** With fewer matches than this, misspelled words are repaired. */
const FEW = 10;
const SHORT_WORD = 5;

export interface Candidate {
  readonly id: string;
  readonly score: number;
}
export interface TermMatches {
  readonly candidates: readonly Candidate[];
  /** Condition for all matches, beyond the candidates. */
  readonly condition: Condition;
  /** The term with repaired words, if words were misspelled. */
  readonly repaired: string | null;
}

interface Term {
  readonly norm: string;
  readonly words: readonly string[];
}
export const readTerm = async (db: Db, text: string): Promise<Term> => {
  const { rows } = await sql<{
    norm: string;
    words: string;
  }>`select catalog_norm(${text}) as norm, trim(catalog_words(${text})) as words`.execute(db);
  const { norm = '', words = '' } = rows[0] ?? {};
  return { norm, words: words.split(' ').filter((word) => word !== '') };
};

/** All words as prefixes. The words contain letters and digits alone. */
const documentHas = (words: readonly string[]): Condition =>
  words.length === 0
    ? sql<boolean>`false`
    : sql<boolean>`entry.document @@ to_tsquery('simple', ${words.map((word) => `${word}:*`).join(' & ')})`;
const prefixOf = (norm: string): string => `${norm.replace(/[\\%_]/g, '\\$&')}%`;

/** Matches entries by equal id, prefix of the name, or all words. */
const matches = ({ norm, words }: Term): Condition =>
  sql<boolean>`(entry.id = ${norm.toUpperCase()} or entry.norm like ${prefixOf(norm)} or ${documentHas(words)})`;

const rankHint = sql`case entry.status when 'ACTIVE' then 1 when 'PENDING' then 0.9 else 0.4 end`;

/** Returns candidates in three steps: equal id or name, prefix of the name, all words in the text. */
const ranked = async (db: Db, { norm, words }: Term, conditions: readonly Condition[]): Promise<Candidate[]> => {
  const where = all(conditions);
  const prefix = prefixOf(norm);
  const { rows } = await sql<Candidate>`
    select id, max(score)::float8 as score from (
      (select entry.id, 1.0::float8 as score from catalog_entry entry where (entry.id = ${norm.toUpperCase()} or entry.norm = ${norm}) and ${where} limit ${candidatesAtMost})
      union all
      (select entry.id, 0.8 + 0.15 * least(1, char_length(${norm})::float8 / greatest(1, char_length(entry.norm))) from catalog_entry entry
        where entry.norm like ${prefix} and ${where} limit ${candidatesAtMost})
      union all
      (select found.id, 0.4 + 0.4 * found.rank * found.hint from (
        select entry.id, least(1, ts_rank(entry.document, to_tsquery('simple', ${words.map((word) => `${word}:*`).join(' & ')}))::float8) as rank,
          ${rankHint} as hint
        from catalog_entry entry where ${documentHas(words)} and ${where} limit ${candidatesAtMost}) as found)) as steps
    group by id order by score desc, id limit ${candidatesAtMost}`.execute(db);
  return rows;
};

/** Returns entries with any of the words in their name. Words of one letter are left out, because they match too much. */
export const namesWithAny = async (db: Db, words: readonly string[], conditions: readonly Condition[]): Promise<string[]> => {
  const long = words.filter((word) => word.length > 1);
  if (long.length === 0) return [];
  const query = sql`to_tsquery('simple', ${long.map((word) => `${word}:*A`).join(' | ')})`;
  const { rows } = await sql<{ id: string }>`select id from (
      select entry.id, ts_rank(entry.document, ${query}) as rank from catalog_entry entry
      where entry.document @@ ${query} and ${all(conditions)} limit ${candidatesAtMost}) as found
    order by rank desc, id`.execute(db);
  return rows.map(({ id }) => id);
};

/** Replaces words that no document contains by their nearest. Words with digits stay. */
const repair = async (db: Db, words: readonly string[]): Promise<string[]> => {
  const repaired: string[] = [];
  for (const word of words) {
    if (/\d/.test(word)) {
      repaired.push(word);
      continue;
    }
    const least = word.length <= SHORT_WORD ? 0.3 : 0.4;
    const { rows } = await sql<{ word: string }>`
      select word from (
        (select word, 2::real as nearness, 0 as uses from catalog_word where word like ${`${word}%`} limit 1)
        union all
        (select word, similarity(word, ${word}), uses from catalog_word where word % ${word} and similarity(word, ${word}) >= ${least}
          order by similarity(word, ${word}) desc, uses desc, word limit 1)) as nearest
      order by nearness desc limit 1`.execute(db);
    const [nearest] = rows;
    repaired.push(nearest && !nearest.word.startsWith(word) ? nearest.word : word);
  }
  return repaired;
};

/** Finds the matches of a term among the entries that the conditions allow. */
export const findTerm = async (db: Db, text: string, conditions: readonly Condition[]): Promise<TermMatches> => {
  const term = await readTerm(db, text);
  const candidates = await ranked(db, term, conditions);
  if (candidates.length >= FEW) return { candidates, condition: matches(term), repaired: null };
  const words = await repair(db, term.words);
  const isSame = words.every((word, at) => word === term.words[at]);
  if (isSame) return { candidates, condition: matches(term), repaired: null };
  const better = { norm: words.join(' '), words };
  const known = new Set(candidates.map(({ id }) => id));
  const more = (await ranked(db, better, conditions)).filter(({ id }) => !known.has(id));
  return {
    candidates: [...candidates, ...more.map(({ id, score }) => ({ id, score: score * 0.8 }))].toSorted((a, b) => b.score - a.score),
    condition: sql<boolean>`(${matches(term)} or ${matches(better)})`,
    repaired: more.length > 0 ? words.join(' ') : null,
  };
};
