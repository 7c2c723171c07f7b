/** How long a round over all topics and accounts takes, what it costs this process, and whether a change is found within a minute. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { alterUserScramCredentialsV0, ScramMechanisms } from '@platformatic/kafka';
import { accountWatcher } from '../../packages/server/src/modules/streaming/accounts/account-watcher.ts';
import { topicWatcher } from '../../packages/server/src/modules/streaming/topics/observe-topic.ts';
import { log, type Scene } from './scene.ts';

export interface RoundFigures {
  readonly seconds: number;
  readonly statements: number;
  readonly 'cpu seconds': number;
  readonly 'loop delay p99 ms': number;
  readonly 'loop delay max ms': number;
  readonly 'WAL MiB': number;
}
const LOOK_MS = 50;

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await delay(LOOK_MS);
};
const walBytes = async ({ pool }: Scene): Promise<number> =>
  Number((await pool.query<{ at: string }>(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as at`)).rows[0]?.at);

/** Statements of anybody but this bench's own waiting. */
const counted = async ({ pool }: Scene, work: () => Promise<void>): Promise<number> => {
  const client = await pool.connect();
  const prototype = Object.getPrototypeOf(client) as { query: (this: unknown, ...args: unknown[]) => unknown };
  client.release();
  const { query } = prototype;
  let count = 0;
  prototype.query = function (...args) {
    const [text] = args;
    if (!(typeof text === 'string' && text.startsWith('/* bench */'))) count += 1;
    return query.apply(this, args);
  };
  await work().finally(() => (prototype.query = query));
  return count;
};

const measured = async (scene: Scene, work: () => Promise<void>): Promise<RoundFigures> => {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const wal = await walBytes(scene);
  const processor = process.cpuUsage();
  const startedAt = performance.now();
  delays.enable();
  const statements = await counted(scene, work);
  delays.disable();
  const { user, system } = process.cpuUsage(processor);
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  return {
    seconds: rounded((performance.now() - startedAt) / 1000),
    statements,
    'cpu seconds': rounded((user + system) / 1e6),
    'loop delay p99 ms': rounded(delays.percentile(99) / 1e6),
    'loop delay max ms': rounded(delays.max / 1e6),
    'WAL MiB': rounded(((await walBytes(scene)) - wal) / 1024 / 1024),
  };
};

const compared = async ({ pool }: Scene, since: Date): Promise<boolean> => {
  const { rows } = await pool.query<{ left: number }>(
    `/* bench */ select ((select count(*) from topic) - (select count(*) from topic_watch where compared_at > $1)
       + (select count(*) from account where compared_at is null or compared_at <= $1))::integer as left`,
    [since],
  );
  return rows[0]?.left === 0;
};
/** Everything is due at once: as after a start of the platform. */
const round = (scene: Scene): Promise<RoundFigures> =>
  measured(scene, async () => {
    const since = new Date();
    const everyMs = 1;
    const once = { tickMs: 100, everyMs: 24 * 3_600_000, viewedMs: 24 * 3_600_000 };
    await scene.pool.query(`update topic_watch set watched_at = 'epoch'`);
    await scene.pool.query(`update account set watched_at = now() - interval '2 days'`);
    const watchers = [topicWatcher(scene, log, once), accountWatcher(scene, log, { ...once, signInMs: everyMs })];
    for (const watcher of watchers) watcher.start();
    await until(() => compared(scene, since));
    for (const watcher of watchers) await watcher.stop();
  });

/** With the timings of the platform: from a change on cluster and registry until it stands in the rows. */
const foundSeconds = async (scene: Scene): Promise<number> => {
  const [topic] = await scene.db.selectFrom('topic').selectAll().orderBy('id').limit(1).execute();
  const [, account] = await scene.db.selectFrom('account').selectAll().orderBy('id').limit(2).execute();
  if (!topic || !account) return 0;
  const watchers = [topicWatcher(scene, log), accountWatcher(scene, log)];
  for (const watcher of watchers) watcher.start();
  await scene.streaming.alterTopic('development', topic.topic_name, { configs: { 'retention.ms': '7200000' } });
  await scene.registry.setLevel('development', `${topic.topic_name}-value`, 'NONE');
  const user = { name: account.principal, mechanism: ScramMechanisms.SCRAM_SHA_512 };
  await scene.cluster.askController('AlterUserScramCredentials', alterUserScramCredentialsV0.api, [user], []);
  const startedAt = performance.now();
  await until(async () => {
    const { rows } = await scene.pool.query<{ is: boolean }>(
      `/* bench */ select jsonb_array_length(topic.drift -> 'differences') >= 2 and account.drift = 'DRIFT' as is
         from topic, account where topic.id = $1 and account.id = $2`,
      [topic.id, account.id],
    );
    return rows[0]?.is === true;
  });
  for (const watcher of watchers) await watcher.stop();
  return Math.round((performance.now() - startedAt) / 1000);
};

export const measureRounds = async (scene: Scene): Promise<{ readonly rounds: Record<string, RoundFigures>; readonly found: number }> => ({
  rounds: { first: await round(scene), second: await round(scene), third: await round(scene) },
  found: await foundSeconds(scene),
});
