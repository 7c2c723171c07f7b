/** Compares development and production of an app, resource by resource. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { promotionKinds, type PromotionKind, type PromotionRow } from '@slipway/contract/promotion.ts';
import { Plan } from '@slipway/contract/pipeline/plan.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { placeSql } from '#modules/resources/index.ts';
import type { At, Compared, PromotedKind, PromotingWrite, PromotionDeps } from './promoted-kind.ts';
import { databases } from './database-kind.ts';
import { secretGroups } from './secret-group-kind.ts';
import { services } from './service-kind.ts';
import { streamingKinds } from './streaming-kinds.ts';

const promoted: readonly PromotedKind[] = [secretGroups, databases, ...streamingKinds, services];
export const kindNamed = (word: PromotionKind): PromotedKind => {
  const kind = promoted.find((one) => one.kind === word);
  if (!kind) throw new Error(`No kind promotes ${word}`);
  return kind;
};

/** A resource by name: whether each environment has it, and its state there. Null if it has none. */
interface Named {
  readonly name: string;
  readonly development: string | null;
  readonly production: string | null;
}
const mostRows = 1000;
const namesOf = async ({ db }: PromotionDeps, { table }: PromotedKind, app: string, only?: string): Promise<Named[]> => {
  // Groups have no state. The platform's groups belong to databases, accounts and services.
  const isGroup = table === 'secret_group';
  const side = (
    environment: Environment,
  ) => sql`select name, ${environment} as environment, ${isGroup ? sql`'ACTIVE'` : sql`state`} as state
    from ${sql.table(table)} where ${placeSql({ app, environment }, table, only)} and ${isGroup ? sql`kind = 'USER'` : sql`true`}`;
  const { rows } = await sql<Named>`
    select name, max(state) filter (where environment = 'development') as development, max(state) filter (where environment = 'production') as production
    from (${side('development')} union all ${side('production')}) as sides group by name order by name limit ${mostRows}`.execute(db);
  return rows;
};

const fingerprint = (seen: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(seen ?? null))
    .digest('base64url')
    .slice(0, 22);

/** Returns the row of a resource that cannot be read. It says why, and stops no other row. */
const refusalOf = (error: unknown, name: string): Compared => {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return {
    isThere: true,
    isChosen: false,
    differences: [],
    blocked: note('PartRefused', { name, reason: error.message }),
    seen: error.code,
    write: () => {
      throw error;
    },
  };
};

const stateOf = ({ isThere, differences }: Compared): PromotionRow['state'] => {
  if (!isThere) return 'MISSING';
  return differences.length > 0 ? 'DIFFERS' : 'EQUAL';
};

interface ComparedRow {
  readonly row: PromotionRow;
  readonly compared: Compared | undefined;
}
const rowOf = async (deps: PromotionDeps, kind: PromotedKind, named: Named, at: At): Promise<ComparedRow | undefined> => {
  const { name, development, production } = named;
  const plain = { kind: kind.kind, name, isChosen: false, differences: [], missingKeys: [], notes: [], blocked: null };
  if (development === null) return { row: { ...plain, state: 'ONLY_PRODUCTION', mark: fingerprint(named) }, compared: undefined };
  // Not finished in development: there is nothing to promote yet.
  if (development !== 'ACTIVE') return undefined;
  const compared = await kind.compare(deps, at).catch((error: unknown) => refusalOf(error, name));
  const { isChosen, differences, missingKeys = [], notes = [], blocked = null, seen } = compared;
  const isUnfinished = production !== null && production !== 'ACTIVE';
  const stop = isUnfinished ? note(production === 'NOT_CREATED' ? 'CreationUnfinished' : 'ProductionBusy', { name }) : blocked;
  const row: PromotionRow = {
    ...plain,
    // Its creation failed, so production does not have it.
    state: production === 'NOT_CREATED' ? 'MISSING' : stateOf(compared),
    mark: fingerprint([seen, production]),
    isChosen: isChosen && stop === null,
    differences: [...differences],
    missingKeys: [...missingKeys],
    notes: [...notes],
    blocked: stop,
  };
  return { row, compared };
};

/** All rows, in the order in which they are promoted. */
export const compareApp = async (deps: PromotionDeps, at: Omit<At, 'name'>): Promise<PromotionRow[]> => {
  const rows: PromotionRow[] = [];
  for (const word of promotionKinds) {
    const kind = kindNamed(word);
    const found = await mapLimited(await namesOf(deps, kind, at.app), (named) => rowOf(deps, kind, named, { ...at, name: named.name }));
    rows.push(...found.flatMap((one) => one?.row ?? []));
  }
  return rows;
};

/** Plans the write of a part. */
export const dryRun = async ({ callInside }: PromotionDeps, caller: Caller, { route, params, body }: PromotingWrite): Promise<Plan> =>
  Plan.parse(await callInside(route, { caller, params, body, query: { dryRun: 'true' } }));

/** One row. Undefined if development has no such resource. */
export const compareOne = async (deps: PromotionDeps, word: PromotionKind, at: At): Promise<Required<ComparedRow> | undefined> => {
  const kind = kindNamed(word);
  const [named] = await namesOf(deps, kind, at.app, at.name);
  return named && rowOf(deps, kind, named, at);
};
