/** Search terms: candidates by name and text, and the repair of misspelled words. */
import { sql, type RawBuilder } from 'kysely';
import { prepared, transaction, type Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { all } from './records.ts';

type Condition = RawBuilder<boolean>;
/** Ranked matches of a term are limited to this many. */
export const candidatesAtMost = 500;
/** With fewer matches than this, misspelled words are repaired. */
const FEW = 10;
const SHORT_WORD = 5;
const REPAIRED_AT_ONCE = 3;

export interface Candidate {
  readonly id: string;
  readonly score: number;
}
export interface TermMatches {
  /** Ranks the matches. Called at most once. */
  candidates(): Promise<readonly Candidate[]>;
  /** Condition for all matches, beyond the candidates. */
  readonly condition: Condition;
  /** The term with repaired words, if words were misspelled. */
  readonly repaired: string | null;
}

interface Term {
  readonly norm: string;
  readonly words: readonly string[];
  /** Words with which a word of a document begins. */
  readonly known: ReadonlySet<string>;
  /** Words that so many entries contain that reading entries one by one finds matches sooner than an index does. */
  readonly common: ReadonlySet<string>;
  /** Share of all entries that contain a word. */
  readonly shares: ReadonlyMap<string, number>;
  /** For words with few completions, those that the documents contain. */
  readonly completions: ReadonlyMap<string, readonly string[]>;
}
/** A word with more uses than this is common. An index reads that many places in some 20 milliseconds. */
const COMMON_USES = 200_000;
/**
 * The first 500 matches of a word that more than this share of all entries contains are found sooner without an index, which would read all of
 * its places. With filters, an estimate of them may be wrong, and more entries are read.
 */
const FREQUENT = { alone: 1 / 6, withFilters: 1 / 3 } as const;
/** As many known words with the same beginning are looked at. If there are more, the beginning is common. */
const KNOWN_WORDS = 20_000;
/** Up to this many words are looked up as whole words. An index reads them in half the time of beginnings. Hundreds of words would take longer. */
const WHOLE_WORDS = 8;
/** The last text that begins like this. */
const lastWith = (start: string): string => `${start}\u{10FFFF}`;

interface ReadWord {
  readonly word: string;
  readonly known: number;
  readonly uses: number;
  /** The known words, if they are few. */
  readonly whole: readonly string[] | null;
}
export const readTerm = async (db: Db, text: string): Promise<Term> => {
  const { rows } = await sql<{ norm: string; entries: number; words: ReadWord[] }>`
    select catalog_norm(${text}) as norm, (select reltuples::float8 from pg_class where oid = 'catalog_entry'::regclass) as entries,
      array(select jsonb_build_object('word', word, 'known', known.n, 'uses', known.uses, 'whole', known.whole)
      from unnest(string_to_array(trim(catalog_words(${text})), ' ')) with ordinality as asked (word, place) cross join lateral (
        select count(*) as n, coalesce(sum(uses), 0) as uses, case when count(*) <= ${sql.lit(WHOLE_WORDS)} then array_agg(word) end as whole from (select word, uses from catalog_word
          where catalog_word.word ~>=~ asked.word and catalog_word.word ~<~ (asked.word || chr(1114111)) limit ${sql.lit(KNOWN_WORDS + 1)}) as alike) as known
      where word <> '' order by place) as words ${prepared}`.execute(db);
  const { norm = '', entries = 0, words = [] } = rows[0] ?? {};
  const withWords = (isWanted: (word: ReadWord) => boolean) => new Set(words.filter(isWanted).map(({ word }) => word));
  return {
    norm,
    words: words.map(({ word }) => word),
    known: withWords(({ known }) => known > 0),
    common: withWords(({ known, uses }) => known > KNOWN_WORDS || uses > COMMON_USES),
    shares: new Map(words.map(({ word, uses }) => [word, uses / entries])),
    completions: new Map(words.flatMap(({ word, whole }) => (whole ? [[word, whole] as const] : []))),
  };
};

const queryOf = (words: readonly string[]): string => words.map((word) => `${word}:*`).join(' & ');
/** Finds what `queryOf` finds. */
const lookupOf = (words: readonly string[], { completions }: Term): string =>
  words
    .map((word) => completions.get(word))
    .map((whole, at) => (whole ? `(${whole.join(' | ')})` : `${words[at]}:*`))
    .join(' & ');
/**
 * All words as prefixes. The words contain letters and digits alone. The planner takes the index for a query that it does not know while it
 * plans. Without an index, it would compare whole documents for each entry. Common words are compared only with entries that have the others.
 */
const documentHas = (term: Term): Condition => {
  const { words, common } = term;
  if (words.length === 0) return sql<boolean>`false`;
  const rare = words.filter((word) => !common.has(word));
  const often = words.filter((word) => common.has(word));
  return all([
    ...(rare.length === 0 ? [] : [sql<boolean>`entry.document @@ (select to_tsquery('simple', ${lookupOf(rare, term)}))`]),
    ...(often.length === 0 ? [] : [sql<boolean>`(entry.document @@ to_tsquery('simple', ${queryOf(often)})) is true`]),
  ]);
};
/** As `documentHas`, for the first few matches. The planner knows a single frequent word, and that a page of matches is soon found without an index. */
const documentHasOften = (term: Term, isFiltered: boolean): Condition =>
  isFrequent(term, isFiltered) ? sql<boolean>`entry.document @@ to_tsquery('simple', ${queryOf(term.words)})` : documentHas(term);
const isFrequent = ({ words, shares, common }: Term, isFiltered: boolean): boolean => {
  const [word = ''] = words;
  return words.length === 1 && !common.has(word) && (shares.get(word) ?? 0) > (isFiltered ? FREQUENT.withFilters : FREQUENT.alone);
};
const nameBegins = (norm: string): Condition => sql<boolean>`(entry.norm ~>=~ ${norm} and entry.norm ~<~ ${lastWith(norm)})`;

/** Matches entries by all words, which ids and names of the other steps contain, too. A term without words can only be part of a name. */
const matches = (term: Term): Condition => (term.words.length === 0 ? nameBegins(term.norm) : sql<boolean>`(${documentHas(term)})`);

const rankHint = sql`case entry.status when 'ACTIVE' then 1 when 'PENDING' then 0.9 else 0.4 end`;

/** Returns candidates in three steps: equal id or name, prefix of the name, all words in the text. */
const ranked = async (db: Db, term: Term, conditions: readonly Condition[]): Promise<Candidate[]> => {
  const { norm, words } = term;
  const where = all(conditions);
  const most = sql.lit(candidatesAtMost);
  const isFiltered = conditions.length > 1;
  const query = sql<Candidate>`
    select id, max(score)::float8 as score from (
      (select entry.id, 1.0::float8 as score from catalog_entry entry where (entry.id = ${norm.toUpperCase()} or entry.norm = ${norm}) and ${where} limit ${most})
      union all
      (select entry.id, 0.8 + 0.15 * least(1, char_length(${norm})::float8 / greatest(1, char_length(entry.norm))) from catalog_entry entry
        where ${nameBegins(norm)} and ${where} limit ${most})
      union all
      (select found.id, 0.4 + 0.4 * found.rank * found.hint from (
        select entry.id, least(1, ts_rank(entry.document, to_tsquery('simple', ${queryOf(words)}))::float8) as rank,
          ${rankHint} as hint
        from catalog_entry entry where ${documentHasOften(term, isFiltered)} and ${where} limit ${most}) as found)) as steps
    group by id order by score desc, id limit ${most} ${isFiltered ? sql`` : prepared}`;
  if (term.common.size === 0 && !isFrequent(term, isFiltered)) return (await query.execute(db)).rows;
  // A scan of a large table begins where the last one stopped. The pages of a search would rank other matches than its first page.
  return transaction(db, async (trx) => {
    await sql`set local synchronize_seqscans = off`.execute(trx);
    return (await query.execute(trx)).rows;
  });
};

/** Returns entries with any of the words in their name. Words of one letter and common words are left out, because they match too much. */
export const namesWithAny = async (db: Db, { words, common }: Term, conditions: readonly Condition[]): Promise<string[]> => {
  const long = words.filter((word) => word.length > 1 && !common.has(word));
  if (long.length === 0) return [];
  const query = sql`(select to_tsquery('simple', ${long.map((word) => `${word}:*A`).join(' | ')}))`;
  const { rows } = await sql<{ id: string }>`select id from (
      select entry.id, ts_rank(entry.document, ${query}) as rank from catalog_entry entry
      where entry.document @@ ${query} and ${all(conditions)} limit ${candidatesAtMost}) as found
    order by rank desc, id`.execute(db);
  return rows.map(({ id }) => id);
};

/** Replaces words that no document contains by their nearest. Words with digits stay. */
const repair = (db: Db, { words, known }: Term): Promise<string[]> =>
  mapLimited(
    words,
    async (word) => {
      if (known.has(word) || /\d/.test(word)) return word;
      const least = word.length <= SHORT_WORD ? 0.3 : 0.4;
      const { rows } = await sql<{ word: string }>`
        select word from catalog_word where word % ${word} and word !~ '[0-9]' and similarity(word, ${word}) >= ${least}::real
        order by similarity(word, ${word}) desc, uses desc, word limit 1 ${prepared}`.execute(db);
      return rows[0]?.word ?? word;
    },
    REPAIRED_AT_ONCE,
  );

/** Finds the matches of a term among the entries that the conditions allow. */
export const findTerm = async (db: Db, text: string, conditions: readonly Condition[]): Promise<TermMatches> => {
  const term = await readTerm(db, text);
  const found = { candidates: () => ranked(db, term, conditions), condition: matches(term), repaired: null };
  // The repair leaves known words as they are, so their matches can be counted while they are ranked.
  if (term.words.every((word) => term.known.has(word))) return found;
  const candidates = await ranked(db, term, conditions);
  const same = { ...found, candidates: async () => candidates };
  if (candidates.length >= FEW) return same;
  const words = await repair(db, term);
  if (words.every((word, at) => word === term.words[at])) return same;
  const better = await readTerm(db, words.join(' '));
  const known = new Set(candidates.map(({ id }) => id));
  const more = (await ranked(db, better, conditions)).filter(({ id }) => !known.has(id));
  const both = [...candidates, ...more.map(({ id, score }) => ({ id, score: score * 0.8 }))].toSorted((a, b) => b.score - a.score);
  return {
    candidates: async () => both,
    condition: sql<boolean>`(${matches(term)} or ${matches(better)})`,
    repaired: more.length > 0 ? words.join(' ') : null,
  };
};
