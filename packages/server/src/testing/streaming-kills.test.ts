// @long: starts, ends and kills programs
/**
 * kill -9 of the server, and of server and broker together, in every step of the pipelines of schemas, topics and accounts. The started server
 * ends what was begun. Then the broker and the registry themselves are asked: they hold what the rows want, and nothing else.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { accountRulesView, type AccountRules } from '@slipway/contract/streaming/account-rights.ts';
import { shareOf } from '#testing/faults/fault-share.ts';
import { RunHolds } from './faults/run-holds.ts';
import { KilledPlatform, place, topicLists, type StreamingKind } from './streaming/killed-platform.ts';
import { streamingChanges, type StreamingChange } from './streaming/streaming-changes.ts';

interface KillPoint {
  readonly change: StreamingChange;
  readonly code: string;
  readonly undo?: string;
  /** Set if the broker dies together with the server, as at every second kill point. */
  readonly and?: 'broker' | undefined;
}
const grid: readonly KillPoint[] = streamingChanges.flatMap((change) => [
  ...change.steps.map((code) => ({ change, code })),
  ...(change.undone ?? []).map(([code, undo]) => ({ change, code, undo })),
]);
const isBrokerFound = process.platform === 'linux';
const killPoints = shareOf(
  grid.map((point, index) => ({ ...point, and: isBrokerFound && index % 2 === 1 ? ('broker' as const) : undefined })),
  2,
);

let on: KilledPlatform;
let holds: RunHolds;
let count = 0;
beforeAll(async () => {
  on = await KilledPlatform.open();
  holds = await RunHolds.install(on.database.config);
});
afterAll(async () => {
  await holds?.close();
  await on?.close();
});

const killed = async ({ and }: KillPoint): Promise<void> => {
  await holds.untilHeld(1);
  if (and) await on.killBroker();
  await on.server.end('SIGKILL');
  await holds.forget();
};
/** Asked before the server died; the row was held. */
const cancel = (pipelineId: string): Promise<unknown> =>
  on.database.pool.query(
    `update pipeline_run set cancel_requested_at = now(), cancel_requested_by = 'olga', cancel_requested_by_name = 'Olga'
      where pipeline_id = $1`,
    [pipelineId],
  );
const statesOf = async (kind: StreamingKind, name: string): Promise<string[]> => {
  const table = { schema: 'event_schema', topic: 'topic', account: 'account' }[kind];
  const { rows } = await on.database.pool.query<{ state: string }>(`select state from ${table} where name = $1`, [name]);
  return rows.map(({ state }) => state);
};

test.each(killPoints)('killed while $change.name, after $code (taken back: $undo; with the $and)', async (point) => {
  const { change, code, undo } = point;
  const { kind, before, begin, isDeletion = false, password, isAllOrNothing = false, others = [] } = change;
  count += 1;
  const name = `killed${String(count).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`;
  await before?.(on, name);
  const former = kind === 'account' && before ? await on.takePassword(name) : undefined;
  await holds.hold({ code, at: 'end' });
  const pipelineId = await begin(on, name);
  await killed(point);
  if (undo) {
    await cancel(pipelineId);
    await holds.hold({ code: undo, at: 'undo' });
    await on.start();
    await killed(point);
  }
  await on.start();
  const run = await on.server.ended(pipelineId);
  expect(run.status.state, run.statusMessage ?? '').toBe(undo ? 'CANCELED' : 'COMPLETED');
  await on.expectExact();
  const isGone = undo ? isAllOrNothing : isDeletion;
  const isMade = before !== undefined || !undo;
  expect(await statesOf(kind, name)).toEqual(isGone ? [] : [isMade ? 'ACTIVE' : 'NOT_CREATED']);

  const user = `berth.${name}`;
  if (former !== undefined) expect(await on.maySignIn(user, former)).toBe(!isGone && (undo !== undefined || password !== 'other'));
  if (password && !undo) expect(await on.maySignIn(password === 'second' ? `${user}~2` : user, await on.takePassword(name))).toBe(true);

  if (!isGone) for (const part of [kind, ...others]) await on.completed(await on.remove[part](name));
  await on.expectExact();
});

test('rules that name a topic go with it, also where the topic itself was gone already', async () => {
  await on.completed(await on.make.topic('halfgone'));
  await on.letRead('halfgone');
  await on.asAdministrator((client) => client.call('DeleteTopics', 5, { topicNames: ['berth.halfgone'], timeoutMs: 1000 }));
  await on.completed(await on.remove.topic('halfgone'));
  await on.expectExact();
});

test('an account that has read nothing else gives up its groups with the topic', async () => {
  await on.completed(await on.make.topic('lastone'));
  await on.completed(await on.send(accountCreate, {}, { name: 'onlyone', ...topicLists(['orders'], ['lastone']) }));
  await on.completed(await on.remove.topic('lastone'));
  await on.expectExact();
  const rules = (await on.server.call(accountRulesView, { params: { ...place, account: 'onlyone' } })) as AccountRules;
  expect(rules.rules).toMatchObject([{ name: 'berth.orders', operation: 'write', state: 'THERE' }]);
  await on.completed(await on.remove.account('onlyone'));
});
