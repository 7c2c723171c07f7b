/**
 * Access rules of an account: derived from its approved grants, created on the cluster, and compared with the cluster. The platform removes
 * only rules in its own list of created rules; rules created by others stay, whatever they allow.
 */
import type { AccessRule as RuleView, AccountRules } from '@slipway/contract/streaming/account-rights.ts';
import type { TopicOperation } from '@slipway/contract/streaming/grant.ts';
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { AccessRight, AccessRule, RuleFilter, Streaming } from '#ports/streaming.ts';
import { liveTurns, turns, type Turn } from '#modules/resources/index.ts';
import { accountCredential, currentTurn, userName, type AccountDeps, type AccountRow } from './account-rows.ts';

/** A right of an account. Omits `describe`, which read and write include. */
interface Right extends AccessRight {
  readonly resource: 'topic' | 'group';
  readonly operation: 'read' | 'write';
}
interface WantedRight extends Right {
  readonly from: AccountRules['rules'][number]['from'];
}
type Deps = Pick<AccountDeps, 'db' | 'streaming'>;

const rightOf = (topicName: string, operation: TopicOperation): Right => ({
  resource: 'topic',
  pattern: 'literal',
  name: topicName,
  operation: operation === 'READ' ? 'read' : 'write',
});

/**
 * Returns account id → rights. Reading a topic also needs consumer groups: only groups with the account's own prefix. A topic that was
 * removed from the cluster grants no rights.
 */
const wantedRightsOf = async (db: Db, rows: readonly AccountRow[]): Promise<ReadonlyMap<string, readonly WantedRight[]>> => {
  const granted = await db
    .selectFrom('topic_grant')
    .innerJoin('topic', 'topic.id', 'topic_grant.topic_id')
    .select(['topic_grant.account_id', 'topic.topic_name', 'topic.name', 'topic.app_id', 'topic_grant.operation'])
    .where('topic_grant.account_id', '=', sql<string>`any (${rows.map(({ id }) => id)})`)
    .where('topic_grant.is_listed', '=', true)
    .where('topic_grant.state', '=', 'APPROVED')
    .where('topic.gone_at', 'is', null)
    .orderBy('topic_grant.operation', 'desc')
    .orderBy('topic.topic_name')
    .execute();
  const byAccount = Map.groupBy(granted, ({ account_id: account }) => account);
  return new Map(
    rows.map((row) => {
      const own = byAccount.get(row.id) ?? [];
      const topics = own.map(({ topic_name, name, app_id, operation }): WantedRight => ({
        ...rightOf(topic_name, operation),
        from: { topic: name, applicationCode: app_id, operation },
      }));
      const groups: WantedRight = { resource: 'group', pattern: 'prefixed', name: row.group_prefix, operation: 'read', from: null };
      return [row.id, own.some(({ operation }) => operation === 'READ') ? [...topics, groups] : topics];
    }),
  );
};
export const wantedRights = async (db: Db, row: AccountRow): Promise<readonly WantedRight[]> =>
  (await wantedRightsOf(db, [row])).get(row.id) ?? [];

export const keyOf = ({ resource, pattern, name, operation }: Pick<AccessRule, 'resource' | 'pattern' | 'name' | 'operation'>): string =>
  JSON.stringify([resource, pattern, name, operation]);
/** Returns whether the platform could have created the rule: it never denies, and never restricts the host. */
export const isOfOurForm = ({ host, permission }: AccessRule): boolean => host === '*' && permission === 'allow';
export const keysOf = (rules: readonly Pick<AccessRule, 'resource' | 'pattern' | 'name' | 'operation'>[]): ReadonlySet<string> =>
  new Set(rules.map(keyOf));

export const madeRules = (db: Db, rows: readonly AccountRow[]) =>
  db
    .selectFrom('account_rule')
    .selectAll()
    .where('account_id', '=', sql<string>`any (${rows.map(({ id }) => id)})`)
    .execute();

export interface Applied {
  readonly made: number;
  readonly removed: number;
  readonly count: number;
}

interface AppliedTo extends Applied {
  readonly added: readonly Right[];
}
/**
 * Makes the user's rights match `rights` and keeps the rules that others created. Rules are recorded before they are created, and forgotten
 * after they are removed. `before`: rights that the caller just created and whose record may be gone since, with a deleted topic.
 */
const applyTo = async (
  { db, streaming }: Deps,
  row: AccountRow,
  user: string,
  rights: readonly Right[],
  before: readonly Right[] = [],
): Promise<AppliedTo> => {
  const made = (await madeRules(db, [row])).filter(({ cluster_user: of }) => of === user);
  if (rights.length + made.length + before.length === 0) return { made: 0, removed: 0, count: 0, added: [] };
  const found = (await streaming.listRules(row.environment, { user })).filter(isOfOurForm);
  const [wantedKeys, foundKeys, madeKeys] = [keysOf(rights), keysOf(found), keysOf([...made, ...before])];
  const added = rights.filter((right) => !foundKeys.has(keyOf(right)));
  const removed = found.filter((rule) => madeKeys.has(keyOf(rule)) && !wantedKeys.has(keyOf(rule)));
  const kept = rights.map(({ resource, pattern, name, operation }) => ({
    account_id: row.id,
    cluster_user: user,
    resource,
    pattern,
    name,
    operation,
  }));
  if (kept.length > 0)
    await db
      .insertInto('account_rule')
      .values(kept)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (added.length + removed.length > 0)
    await streaming.changeRights(row.environment, user, {
      added: added.map(({ resource, pattern, name, operation }) => ({ resource, pattern, name, operation })),
      removed,
    });
  await forgetRules(
    db,
    made.filter((rule) => !wantedKeys.has(keyOf(rule))),
  );
  return { made: added.length, removed: removed.length, count: rights.length, added };
};
type MadeRule = Awaited<ReturnType<typeof madeRules>>[number];
export const forgetRules = (db: Db, gone: readonly MadeRule[]): Promise<void> =>
  transaction(db, async (trx) => {
    for (const { account_id, cluster_user, resource, pattern, name, operation } of gone)
      await trx
        .deleteFrom('account_rule')
        .where('account_id', '=', account_id)
        .where('cluster_user', '=', cluster_user)
        .where('resource', '=', resource)
        .where('pattern', '=', pattern)
        .where('name', '=', name)
        .where('operation', '=', operation)
        .execute();
  });

const isSame = (one: readonly Right[], other: readonly Right[]): boolean => {
  const keys = keysOf(one);
  return one.length === other.length && other.every((right) => keys.has(keyOf(right)));
};
const addUp = (all: readonly Applied[]): Omit<Applied, 'count'> => ({
  made: all.reduce((sum, { made }) => sum + made, 0),
  removed: all.reduce((sum, { removed }) => sum + removed, 0),
});
/**
 * Makes the rules of the active users match the grants and removes the rules of the others. `also`: a user that is about to become active.
 * A topic may be deleted meanwhile, after its deletion looked for rules (end-uses.ts), so the wanted rights are read again afterwards.
 */
export const applyRules = async (deps: Deps, row: AccountRow, also?: Turn): Promise<Applied> => {
  const live = new Set<Turn>([...liveTurns(accountCredential(row)), ...(also === undefined ? [] : [also])]);
  const all: Applied[] = [];
  const added = new Map<Turn, readonly Right[]>();
  let rights = await wantedRights(deps.db, row);
  for (;;) {
    let count = 0;
    for (const turn of turns) {
      const before = added.get(turn) ?? [];
      const applied = await applyTo(deps, row, userName(row, turn), live.has(turn) ? rights : [], before);
      added.set(turn, [...before, ...applied.added]);
      all.push(applied);
      count += applied.count;
    }
    const wanted = await wantedRights(deps.db, row);
    if (isSame(rights, wanted)) return { ...addUp(all), count };
    rights = wanted;
  }
};
/** Removes the rules of one user, or of both by default. */
export const removeRules = async (deps: Deps, row: AccountRow, of: readonly Turn[] = turns): Promise<void> => {
  for (const turn of of) await applyTo(deps, row, userName(row, turn), []);
};

export type Compared = Omit<AccountRules, 'isCompared' | 'comparedAt'>;
const viewOf = ({ user, resource, pattern, name, operation, permission, host }: AccessRule): RuleView => ({
  user,
  resource,
  pattern,
  name,
  operation,
  permission,
  host,
});
const ruleOf = (user: string, { resource, pattern, name, operation }: Right): RuleView => ({
  user,
  resource,
  pattern,
  name,
  operation,
  permission: 'allow',
  host: '*',
});

interface OnCluster {
  /** User → rules. */
  readonly rules: ReadonlyMap<string, readonly AccessRule[]>;
  readonly users: ReadonlySet<string>;
}
/** Reads the rules of a single account, or all rules if there are several, which needs fewer requests. */
const readCluster = async ({ streaming }: Deps, rows: readonly AccountRow[]): Promise<OnCluster> => {
  const [row, ...others] = rows;
  if (!row) return { rules: new Map(), users: new Set() };
  const { environment, principal } = row;
  const isOne = others.length === 0;
  const asked: readonly RuleFilter[] = isOne ? turns.map((turn) => ({ user: userName(row, turn) })) : ['all'];
  const [users, rules] = await Promise.all([
    streaming.listUsers(environment, isOne ? principal : ''),
    mapLimited(asked, (filter) => streaming.listRules(environment, filter)),
  ]);
  return { rules: Map.groupBy(rules.flat(), ({ user }) => user), users: new Set(users) };
};

const compareUser = (user: string, rights: readonly WantedRight[], made: ReadonlySet<string>, found: readonly AccessRule[]) => {
  const ours = keysOf(found.filter(isOfOurForm));
  const wanted = keysOf(rights);
  const own = rights.map((right) => ({
    ...ruleOf(user, right),
    from: right.from,
    state: ours.has(keyOf(right)) ? ('THERE' as const) : ('MISSING' as const),
  }));
  const others = found
    .filter((rule) => !(isOfOurForm(rule) && wanted.has(keyOf(rule))))
    .map((rule) => ({
      ...viewOf(rule),
      from: null,
      state: isOfOurForm(rule) && made.has(keyOf(rule)) ? ('SURPLUS' as const) : ('FOREIGN' as const),
    }));
  return [...own, ...others];
};

/**
 * Returns account id → state on the cluster, for accounts of one environment. The number of requests does not depend on the number of
 * accounts. Throws if the cluster is unavailable.
 */
export const compareAll = async (deps: Deps, rows: readonly AccountRow[]): Promise<ReadonlyMap<string, Compared>> => {
  const [wanted, made, cluster] = await Promise.all([wantedRightsOf(deps.db, rows), madeRules(deps.db, rows), readCluster(deps, rows)]);
  const madeOf = Map.groupBy(made, ({ account_id: account, cluster_user: user }) => `${account} ${user}`);
  return new Map(
    rows.map((row) => {
      const live = liveTurns(accountCredential(row));
      const rules = turns.map((turn) => {
        const user = userName(row, turn);
        const rights = live.includes(turn) ? (wanted.get(row.id) ?? []) : [];
        return compareUser(user, rights, keysOf(madeOf.get(`${row.id} ${user}`) ?? []), cluster.rules.get(user) ?? []);
      });
      const users = live.map((turn) => ({ user: userName(row, turn), isThere: cluster.users.has(userName(row, turn)) }));
      return [row.id, { rules: rules.flat(), users }];
    }),
  );
};
/** Compares a single account. */
export const compareRules = async (deps: Deps, row: AccountRow): Promise<Compared> =>
  (await compareAll(deps, [row])).get(row.id) ?? { rules: [], users: [] };
/** Returns the wanted rules, for use when the cluster is unavailable. */
export const wantedRules = async ({ db }: { readonly db: Db }, row: AccountRow): Promise<Compared> => {
  const rights = await wantedRights(db, row);
  const users = liveTurns(accountCredential(row)).map((turn) => userName(row, turn));
  return {
    rules: users.flatMap((user) => rights.map((right) => ({ ...ruleOf(user, right), from: right.from, state: 'THERE' as const }))),
    users: users.map((user) => ({ user, isThere: true })),
  };
};
/** Returns whether the platform's rules or users differ. Rules created by others are not drift. */
export const isDrift = ({ rules, users }: Compared): boolean =>
  rules.some(({ state }) => state === 'MISSING' || state === 'SURPLUS') || users.some(({ isThere }) => !isThere);

/** Answers by the actual rules on the cluster. */
export const mayAccess = (
  streaming: Streaming,
  row: AccountRow,
  asked: { resource: 'topic' | 'group'; name: string; operation: 'read' | 'write' | 'describe' },
) => streaming.mayAccess(row.environment, { user: userName(row, currentTurn(row)), ...asked });
