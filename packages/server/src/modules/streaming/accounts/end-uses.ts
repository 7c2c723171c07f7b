/** Ends the uses of a deleted topic: rules that name it, and group rights of accounts that read no other topic. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { turns } from '#modules/resources/index.ts';
import { forgetRules, isOfOurForm, keyOf, keysOf, madeRules, wantedRights } from './access-rules.ts';
import { userName, type AccountDeps, type AccountRow } from './account-rows.ts';

/** Returns whether the account's own pipeline or a stream is working on it. */
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
 * Removes and forgets the rules of a deleted topic. Accounts that read no other topic lose their group rights. Their own pipelines take
 * care of other rules.
 *
 * A pipeline of an account may be creating rules from an earlier read at the same time. So this function first records that the topic
 * grants no rights: that pipeline reads again after creating rules and removes the superfluous ones. Its recorded rules are not forgotten
 * here, so that after a crash the platform still knows them as its own.
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
