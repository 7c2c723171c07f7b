/** Background work of the catalog: applications that are seen running, facts that expire, due decommissionings, summaries. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Directory } from '#ports/directory.ts';
import type { Log } from '#ports/log.ts';
import { followDirectory } from '../directory/leavers.ts';
import { decommissionDue } from '../entries/decommission.ts';
import type { CatalogDeps } from '../entries/entry-change.ts';
import { voidReasonOf } from '../requests/request-kinds.ts';
import { remindOwners } from './entry-notices.ts';
import { freezeSummaries } from './monthly-summary.ts';
import { renewBelow } from './renewal.ts';

/** Notes for linked applications that an instance is ready, at most once an hour each. */
export const noteRunning = async (db: Db): Promise<void> => {
  await sql`update catalog_entry set seen_running_at = now()
    where kind = 'application' and (seen_running_at is null or seen_running_at < now() - interval '1 hour')
      and id in (select app.mac_id from app join service on service.app_id = app.id join revision on revision.service_id = service.id
        join instance on instance.revision_id = revision.id where instance.state = 'READY' and app.mac_id is not null)`.execute(db);
};

const BATCH = 1000;
/** Evaluates entries anew whose facts may have changed with the date or the directory, in batches. The table's trigger writes the facts. */
export const expireFacts = async (db: Db, batch = BATCH): Promise<void> => {
  for (let last: string | null = ''; last !== null;) last = await expireBatch(db, last, batch);
};
/** Returns the last id of a full batch, or null after the last batch. */
const expireBatch = async (db: Db, after: string, batch: number): Promise<string | null> => {
  const { rows } = await sql<{ last: string | null }>`with changed as (
    select id from catalog_entry where kind = 'application' and id > ${after} and (
    (is_verified and case when locally_managed then attested_at <= now() - interval '365 days' else seen_running_at <= now() - interval '30 days' end)
    or (seen_running_at <= now() - interval '30 days' and not locally_managed and not failing @> '{runs}')
    or (target_date <= current_date and not failing @> '{dates}')
    or (coalesce(attested_at, activated_at, created_at) < now() - interval '365 days' and not failing @> '{true}')
    or owners && array(select id from identity where left_at > now() - interval '2 days'))
    order by id limit ${batch} for update),
    evaluated as (update catalog_entry set name = name where id in (select id from changed))
    select case when count(*) = ${batch} then max(id) end as last from changed`.execute(db);
  return rows[0]?.last ?? null;
};

/** Sums up the kept counters, which writers only add to. */
export const sumCounters = async (db: Db): Promise<void> => {
  await sql`select catalog_sum_up()`.execute(db);
};

/** Counts the words of all documents. Words that no document contains any more go. */
export const countWords = async (db: Db): Promise<void> => {
  // Before the count begins, with time for transactions that were open then.
  const { rows } = await sql<{ since: Date }>`select now() - interval '10 minutes' as since`.execute(db);
  await transaction(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    // ts_stat keeps the words in a tree that it never balances. Ids in their order would make it a list, and the time quadratic.
    await sql`create temporary table counted on commit drop as
      select word, ndoc as uses from ts_stat('select document from catalog_entry where document is not null order by md5(id)')`.execute(
      trx,
    );
    await sql`delete from catalog_word where not exists (select from counted where counted.word = catalog_word.word)`.execute(trx);
    await sql`insert into catalog_word (word, uses) select word, uses from counted order by word
      on conflict (word) do update set uses = excluded.uses where catalog_word.uses <> excluded.uses`.execute(trx);
  });
  // Words of entries that were written meanwhile: the count did not see them, and a search finds only known words.
  await sql`insert into catalog_word (word) select distinct lexeme from catalog_entry, unnest(document)
    where modified_at >= ${rows[0]?.since} order by lexeme on conflict do nothing`.execute(db);
};

/** Voids pending requests that something outside of their entry overtook: a person who left, an instance that serves now. */
export const voidStale = async ({ db, requests }: CatalogDeps, kinds?: readonly string[]): Promise<void> => {
  const rows = await db
    .selectFrom('request')
    .selectAll()
    .where('status', '=', 'PENDING')
    .where('kind', 'like', 'CATALOG_%')
    .$if(kinds !== undefined, (query) => query.where('kind', 'in', [...(kinds ?? [])]))
    .execute();
  await eachByItself(rows, (row) =>
    transaction(db, async (trx) => {
      await requests.kindOf(row).lock?.(trx, row);
      const reason = await voidReasonOf(trx, row);
      if (reason === undefined) return;
      const of = { kind: row.kind, subjectKind: row.subject_kind, subjectIds: [row.subject_id] };
      await requests.void(trx, of, (other) => (other.number === row.number ? reason : undefined));
    }),
  );
};

/** Steps of the night, in order. All of them are idempotent: a step whose replica died runs again. */
const steps: readonly (readonly [name: string, run: (deps: CatalogDeps, now: Date) => Promise<unknown>])[] = [
  ['facts', ({ db }) => expireFacts(db)],
  ['requests', (deps) => voidStale(deps)],
  ['decommissioning', decommissionDue],
  ['summaries', ({ db }, now) => freezeSummaries(db, now)],
  ['reminders', ({ db }) => remindOwners(db)],
  ['words', ({ db }) => countWords(db)],
];
const names = steps.map(([name]) => name);
/** Longer than a step takes. After it, a replica repeats the steps that failed or whose replica died. */
const LEASE_MINUTES = 15;

/** Runs the nightly work of a day on one replica. Returns false if all of it is done, or if another replica is at it. */
export const runNight = async (deps: CatalogDeps, now = new Date()): Promise<boolean> => {
  const { db } = deps;
  const day = now.toISOString().slice(0, 10);
  const { rows } = await sql<{ done: string[] }>`insert into catalog_night (day) values (${day})
    on conflict (day) do update set started_at = now()
      where not catalog_night.done @> ${names}::text[] and catalog_night.started_at < now() - make_interval(mins => ${LEASE_MINUTES})
    returning done`.execute(db);
  const [night] = rows;
  if (!night) return false;
  await eachByItself(steps, async ([name, run]) => {
    if (night.done.includes(name)) return;
    await run(deps, now);
    await sql`update catalog_night set done = array_append(done, ${name}), started_at = now() where day = ${day}`.execute(db);
  });
  return true;
};

const keepUp = async (db: Db, isStopped: () => boolean): Promise<void> => {
  await sumCounters(db);
  while (!isStopped() && (await renewBelow(db)));
};

const EVERY_MS = 10 * 60_000;
/** Interval of the work that readers wait for: changes of large parents, and counters that stay quick to read. */
const SOON_MS = 5000;
const NIGHT_HOUR = 2;
/**
 * Sums up counters and renews entries below changed parents every few seconds. Looks every ten minutes for people who left and for running
 * applications, and once a night, from 02:00 UTC on, for everything else.
 */
export const catalogTask = (deps: CatalogDeps, directory: Directory, log: Log) => {
  let timers: NodeJS.Timeout[] = [];
  let running: Promise<unknown> = Promise.resolve();
  let soon: Promise<unknown> | undefined;
  let isStopped = false;
  const failed = (error: unknown): void => log.warn({ err: error }, 'The catalog could not be brought up to date');
  const round = async (): Promise<void> => {
    await followDirectory(deps.db, directory, log);
    await noteRunning(deps.db);
    await voidStale(deps, ['CATALOG_DECOMMISSION']);
    if (new Date().getUTCHours() >= NIGHT_HOUR) await runNight(deps);
  };
  return {
    start: () => {
      const long = setInterval(() => {
        running = round().catch(failed);
      }, EVERY_MS);
      const short = setInterval(() => {
        soon ??= keepUp(deps.db, () => isStopped)
          .catch(failed)
          .finally(() => (soon = undefined));
      }, SOON_MS);
      timers = [long.unref(), short.unref()];
    },
    stop: async () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all([running, soon]);
    },
  };
};
