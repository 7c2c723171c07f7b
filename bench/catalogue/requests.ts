/** Requests of the catalog's bench. Terms, owners and cursors differ from round to round, so that no cache of answers helps. */
import type { Platform } from '../platform.ts';

export interface Asked {
  readonly path: string;
  readonly accept?: string;
  /** Measures until the first rows arrive. */
  readonly isFirstBytes?: boolean;
}
/** Makes the request of a round. */
type Rounds = (round: number) => Asked;

const root = '/api/catalogue';
const areas =
  `berth crane vessel cargo gate reefer customs yard tug pilot lock quay tide stevedore container manifest booking invoice payroll badge
  fleet fuel rail truck barge weather radar beacon dredge mooring warehouse pallet parcel tariff ledger budget`.split(/\s+/);
const roles =
  `planner tracker portal gateway service engine archive report dashboard monitor scheduler broker adapter console index feed`.split(/\s+/);
const pick = <T>(list: readonly T[], round: number): T => list[round % list.length] as T;
const at = (query: string): Asked => ({ path: `${root}/${query}` });

/** Swaps two letters. */
const misspelled = (word: string): string => `${word.slice(0, 2)}${word[3] ?? ''}${word[2] ?? ''}${word.slice(4)}`;

interface Found {
  readonly next: string | null;
  readonly content: readonly {
    readonly id: string;
    readonly name: string;
    readonly platformId: string | null;
    readonly portfolioId: string | null;
  }[];
}
const found = async (platform: Platform, query: string): Promise<Found> =>
  (await platform.call('GET', `${root}/search?${query}`)) as unknown as Found;

/** Cursors of pages behind each other, deep in the list. */
const deepCursors = async (platform: Platform): Promise<string[]> => {
  const cursors: string[] = [];
  for (let next: string | null | undefined, page = 0; page < 40; page++) {
    ({ next } = await found(platform, `kind=application&size=100${next ? `&after=${next}` : ''}`));
    if (!next) break;
    cursors.push(next);
  }
  return cursors;
};

export const requestsOf = async (platform: Platform): Promise<readonly (readonly [name: string, rounds: Rounds])[]> => {
  const { content } = await found(platform, 'kind=application&status=ACTIVE&size=50&sort=-modifiedDate');
  const cursors = await deepCursors(platform);
  const entry = (round: number) => pick(content, round);
  const area = (round: number) => pick(areas, round);
  const both = (round: number) => `${area(round)}+${pick(roles, round * 7)}`;
  const facets = 'facets=true&size=20';
  const search =
    (query: (round: number) => string): Rounds =>
    (round) =>
      at(`search?${query(round)}`);
  return [
    ['list with total', (round) => at(`applications?size=20&page=${round}`)],
    ['list by name part', (round) => at(`applications?name=${entry(round).name.slice(2, 9)}`)],
    ['list, last pages', (round) => at(`applications?size=20&page=${14_900 - round}`)],
    ['list, middle pages', (round) => at(`applications?size=20&page=${7400 + round}`)],
    ['deep pages by cursor', search((round) => `kind=application&size=20&after=${pick(cursors, round)}`)],
    ['by owner', search((round) => `owner=load-${1 + round}`)],
    ['by label', search((round) => `labels=LBL-L${1 + round}`)],
    ['by status', search((round) => `kind=application&status=${pick(['ACTIVE', 'PENDING', 'DECOMMISSIONED'], round)}&page=${round}`)],
    ['by owner, label and status', search((round) => `owner=load-${1 + round}&labels=LBL-L${1 + (round % 20)}&status=ACTIVE`)],
    ['newest', search((round) => `sort=-modifiedDate&page=${round}`)],
    ['facets', search((round) => `${facets}&page=${round}`)],
    ['facets of a kind', search((round) => `${facets}&kind=application&page=${round}`)],
    ['facets of a status', search((round) => `${facets}&kind=application&status=ACTIVE&page=${round}`)],
    ['facets of an owner', search((round) => `${facets}&owner=load-${1 + round}`)],
    ['facets of a label', search((round) => `${facets}&labels=LBL-L${1 + round}`)],
    ['facets of a criticality and class', search((round) => `${facets}&criticality=important&classification=INTERNAL&page=${round}`)],
    ['facets of a portfolio', search((round) => `${facets}&portfolio=PFO-L${1 + round}`)],
    ['facets of a common word', search((round) => `${facets}&app=${area(round)}`)],
    ['facets of two words', search((round) => `${facets}&app=${both(round)}`)],
    ['facets of a word and filters', search((round) => `${facets}&app=${area(round)}&status=ACTIVE&criticality=important`)],
    ['full text, common word', search((round) => `app=${area(round)}`)],
    ['full text, two words', search((round) => `app=${both(round)}`)],
    ['full text, a name', search((round) => `app=${entry(round).name.replaceAll(' ', '+')}`)],
    ['full text, one letter', search((round) => `app=${pick([...'abcdefghijklmnoprstw'], round)}`)],
    ['full text, in order of names', search((round) => `app=${area(round)}&sort=name`)],
    ['full text, misspelled', search((round) => `app=${misspelled(area(round))}+${pick(roles, round)}`)],
    ['fuzzy', (round) => at(`search/fuzzy?searchTerm=${entry(round).name.slice(0, -2).replaceAll(' ', '+')}`)],
    ['fuzzy, misspelled', (round) => at(`search/fuzzy?searchTerm=${misspelled(area(round))}+${misspelled(pick(roles, round))}`)],
    ['fuzzy, while typing', (round) => at(`search/fuzzy?searchTerm=${area(round).slice(0, 3)}`)],
    ['platforms by name', (round) => at(`search/platforms?platform=${area(round)}`)],
    ['CSV, first rows', (round) => ({ ...at(`search?kind=application&page=${round}`), accept: 'text/csv', isFirstBytes: true })],
    ['one entry', (round) => at(`applications/${entry(round).id}`)],
    ['tree: platforms of a portfolio', (round) => at(`portfolios/PFO-L${1 + round}/platforms`)],
    ['tree: applications of a platform', search((round) => `kind=application&platform=${entry(round).platformId}`)],
    ['tree: a platform', (round) => at(`platforms/PLT-L${1 + round}`)],
  ];
};

/** Words that the seed made up, for terms that differ from call to call. */
export const clientTerms = async (platform: Platform): Promise<readonly string[]> => {
  const { content } = await found(platform, 'kind=application&size=100&sort=-modifiedDate');
  return content.map(({ name }) => name.split(' ')[1] ?? name);
};
export const throughput = [
  { name: 'list with total', backstagePerSecond: 36, asked: (round: number): string => `${root}/applications?size=20&page=${round % 50}` },
  { name: 'facets', backstagePerSecond: 39, asked: (round: number): string => `${root}/search?facets=true&size=1&page=${round % 50}` },
  {
    name: 'full text',
    backstagePerSecond: 45,
    asked: (round: number, terms: readonly string[]): string =>
      `${root}/search?app=${round % 2 ? pick(terms, round) : `${pick(areas, round)}+${pick(roles, round * 7)}`}`,
  },
] as const;
