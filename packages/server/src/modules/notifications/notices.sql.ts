/** A person's tray and preferences. */
import { sql } from 'kysely';
import { isNoticeType, noticeText, noticeTypeOf, topics } from '@slipway/contract/notification/notice-types.ts';
import { maxUnread, type Notice, type NoticePage } from '@slipway/contract/notification/notice.ts';
import { noticeDays, type NoticePreferences, type Preference } from '@slipway/contract/notification/notification.ts';
import { noticeKind } from '@slipway/contract/kinds/notification.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { cutPage, exactInstant, keysetOf, timeKeys } from '#kernel/keyset.ts';
import { topicDefaults } from './expand.sql.ts';
import type { NoticeRow } from './message.ts';

interface Row extends NoticeRow {
  readonly shown_at: Date;
  readonly at_text: string;
  readonly read_at: Date | null;
}
/** A type of another version of the platform has no text here. */
const toView = ({ id, type, context, count, path, shown_at, read_at }: Row): Notice[] => {
  if (!isNoticeType(type)) return [];
  const { needsYou = false, tone } = noticeTypeOf(type);
  return [
    { id, type, ...noticeText(type, context, count), path, needsYou, tone, count, at: shown_at.toISOString(), isRead: read_at !== null },
  ];
};

/** Returns one page of a tray, newest first, and the number of unread notices. */
export const noticePage = async (
  db: Db,
  person: string,
  { size, after }: { readonly size: number; readonly after?: string | undefined },
): Promise<NoticePage> => {
  const { from, by } = keysetOf(timeKeys(sql`tray.at`, sql`tray.notice_id`), true, after);
  const { rows } = await sql<Row>`select notice.*, tray.at as shown_at, tray.read_at,
      ${exactInstant(sql`tray.at`)} as at_text
    from notice_tray tray join notice on notice.id = tray.notice_id
    where tray.identity_id = ${person} and tray.done_at is null and tray.at > now() - make_interval(days => ${noticeDays})
      and ${from[0] ?? sql`true`}
    order by ${by} limit ${size + 1}`.execute(db);
  const unread = await sql<{ counted: number }>`select count(*)::integer as counted from (
    select from notice_tray where identity_id = ${person} and read_at is null and done_at is null limit ${maxUnread + 1}) as some_of_them`.execute(
    db,
  );
  const { shown, next } = cutPage(rows, size, ({ at_text, id }) => [at_text, id]);
  return { content: shown.flatMap(toView), unread: unread.rows[0]?.counted ?? 0, next };
};

const states = {
  READ: sql`read_at = coalesce(read_at, now())`,
  UNREAD: sql`read_at = null, done_at = null`,
  DONE: sql`read_at = coalesce(read_at, now()), done_at = now()`,
} as const;
/** Returns false if the tray has no such notice. */
export const setNoticeState = (db: Db, person: string, notice: string, state: keyof typeof states): Promise<boolean> =>
  transaction(db, async (trx) => {
    const { numAffectedRows } =
      await sql`update notice_tray set ${states[state]} where identity_id = ${person} and notice_id = ${notice}`.execute(trx);
    await notifyChange(trx, { kind: noticeKind.kind, identity: person });
    return numAffectedRows === 1n;
  });
export const readAll = (db: Db, person: string): Promise<void> =>
  transaction(db, async (trx) => {
    await sql`update notice_tray set read_at = now() where identity_id = ${person} and read_at is null and done_at is null`.execute(trx);
    await notifyChange(trx, { kind: noticeKind.kind, identity: person });
  });

export const preferencesOf = async (db: Db, person: string, email: string | null): Promise<NoticePreferences> => {
  const chosen = await db.selectFrom('notification_preference').selectAll().where('identity_id', '=', person).execute();
  return {
    email,
    topics: topics.map(([topic]) => {
      const row = chosen.find((one) => one.topic === topic);
      return { topic, ...(row ? { tray: row.tray, email: row.email } : topicDefaults(topic)) };
    }),
  };
};
export const setPreferences = async (db: Db, person: string, changes: readonly Preference[]): Promise<void> => {
  for (const { topic, tray, email } of changes)
    await db
      .insertInto('notification_preference')
      .values({ identity_id: person, topic, tray, email })
      .onConflict((conflict) => conflict.columns(['identity_id', 'topic']).doUpdateSet({ tray, email }))
      .execute();
};
