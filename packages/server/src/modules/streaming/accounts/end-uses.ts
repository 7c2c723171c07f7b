/** What the deletion of a topic ends: rules of accounts that name it, and the right to groups of those that have read nothing else. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { forgetRules, isOfOurForm, keyOf, keysOf, madeRules, wantedRights } from './access-rules.ts';
import { turns, userName, type AccountDeps, type AccountRow } from './account-rows.ts';

/** A pipeline of its own, or a stream, works on it. */
const isBusy = async (db: Db, { id, app_id, environment, name }: AccountRow): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from pipeline_run where subject = ${`account:${app_id}/${environment}/${name}`} and state in ('QUEUED', 'PENDING', 'RUNNING')
    union all
    select 1 from account join pipeline on pipeline.id = account.pipeline_id join pipeline_run run on run.run_id = pipeline.latest_run_id
      where account.id = ${id} and run.state in ('QUEUED', 'PENDING', 'RUNNING')
    limit 1`.execute(db);
  return rows.length > 0;
};

/**
 * A topic is gone: its rules are taken away and forgotten, and accounts that read nothing else give up their groups. Other rules are left to
 * their own pipelines.
 *
 * A pipeline of an account may be making rules just now, of what it read before. So it is written first that the topic gives no rights any
 * more: that pipeline reads again after it has made its rules, and takes back what it should not have made. What it has written down is not
 * forgotten here, so that it knows after a crash, too, that the rule is ours.
 */
export const endUses = async (
  { db, streaming }: Pick<AccountDeps, 'db' | 'streaming'>,
  topic: { readonly id: string; readonly topic_name: string },
): Promise<void> => {
  await db.updateTable('topic').set({ gone_at: new Date() }).where('id', '=', topic.id).where('gone_at', 'is', null).execute();
  const accounts = await db
    .selectFrom('account')
    .selectAll('account')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('topic_grant').select('id').whereRef('account_id', '=', 'account.id').where('topic_id', '=', topic.id)),
    )
    .execute();
  for (const row of accounts) {
    const left = keysOf(await wantedRights(db, row));
    const made = await madeRules(db, [row]);
    for (const user of turns.map((turn) => userName(row, turn))) {
      const gone = made.filter(
        (rule) => rule.cluster_user === user && (rule.name === topic.topic_name || rule.resource === 'group') && !left.has(keyOf(rule)),
      );
      if (gone.length === 0) continue;
      const keys = keysOf(gone);
      const found = (await streaming.listRules(row.environment, { user })).filter(isOfOurForm);
      await streaming.changeRights(row.environment, user, { added: [], removed: found.filter((rule) => keys.has(keyOf(rule))) });
      if (!(await isBusy(db, row))) await forgetRules(db, gone);
    }
  }
};
