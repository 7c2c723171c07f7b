/** Notices about entries to the people who answer for them: changed owners, decommissioning, and what comes with the date. */
import { sql, type RawBuilder } from 'kysely';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import { subjectKey, subjectPath } from '@slipway/contract/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { NoticeType } from '@slipway/contract/notification/notice-types.ts';
import { askToAttestDays } from '@slipway/contract/catalog/rules.ts';
import { transaction, type Db } from '#db/database.ts';
import { newId } from '#kernel/ids.ts';
import { notify, notifyAll } from '#modules/notifications/index.ts';
import { namesOf, specOf } from '../entries/entry-kinds.ts';

interface About {
  readonly id: string;
  readonly kind: EntryKind;
}
const subjectOfEntry = ({ id, kind }: About) => subjectOf(specOf(kind).subject, namesOf(specOf(kind), id));

interface NoticeOf {
  readonly type: NoticeType;
  /** Defaults to a new id. The same id is written once. */
  readonly id?: string;
  readonly people: readonly string[];
  readonly actor?: string;
  readonly context: Readonly<Record<string, string>>;
}
const eventOf = (about: About, { id = newId('evt'), ...notice }: NoticeOf) => {
  const subject = subjectOfEntry(about);
  return { ...notice, id, entity: subjectKey(subject), path: subjectPath(subject) ?? '/' };
};

/** Tells new owners, and the remaining ones about each owner who was removed. */
export const notifyOwners = async (
  trx: Db,
  entry: About & { readonly name: string },
  { before, after, by }: { readonly before: readonly string[]; readonly after: readonly string[]; readonly by: string },
): Promise<void> => {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  if (added.length + removed.length === 0) return;
  const { rows } = await sql<{
    id: string;
    name: string;
  }>`select id, display_name as name from identity where id = any(${[by, ...removed]}::text[])`.execute(trx);
  const nameOf = (id: string): string => rows.find((row) => row.id === id)?.name ?? 'Slipway';
  const shared = { actor: by, context: { name: entry.name, by: nameOf(by) } };
  await notifyAll(trx, [
    ...(added.length > 0 ? [eventOf(entry, { type: 'owner.added', people: added, ...shared })] : []),
    ...removed.map((id) =>
      eventOf(entry, { ...shared, type: 'owner.removed', people: after, context: { ...shared.context, person: nameOf(id) } }),
    ),
  ]);
};

export const notifyDecommissioned = async (trx: Db, entry: About, by: string): Promise<void> => {
  const { rows } = await sql<{ name: string; owners: string[]; by: string | null; team: string | null }>`
    select entry.name, owners, (select display_name from identity where id = ${by}) as by,
      (select team_id from app where mac_id = entry.id) as team
    from catalog_entry entry where id = ${entry.id}`.execute(trx);
  for (const { name, owners, by: byName, team } of rows)
    await notify(trx, {
      ...eventOf(entry, { type: 'entry.decommissioned', people: owners, actor: by, context: { name, by: byName ?? 'Slipway' } }),
      team,
    });
};

interface Reminder {
  readonly type: NoticeType;
  readonly condition: RawBuilder<unknown>;
  /** Part of the event's id: each stage is announced once. */
  readonly stage: RawBuilder<unknown>;
  readonly context: RawBuilder<unknown>;
}
const active = sql`entry.kind = 'application' and entry.status = 'ACTIVE'`;
const confirmedAt = sql`coalesce(entry.attested_at, entry.activated_at, entry.created_at)`;
const age = sql`extract(day from now() - ${confirmedAt})::integer`;
const dueOn = sql`coalesce(entry.decommission_due, entry.target_date)`;
const day = (at: RawBuilder<unknown>) => sql`to_char(${at}, 'YYYY-MM-DD')`;

const reminders: readonly Reminder[] = [
  {
    type: 'entry.attest',
    condition: sql`${active} and ${confirmedAt} < now() - make_interval(days => ${askToAttestDays})`,
    // Once, again after 30 days, then monthly.
    stage: sql`${day(confirmedAt)} || '-' || (${age} - ${askToAttestDays}) / 30`,
    context: sql`jsonb_build_object('name', entry.name, 'last', ${day(confirmedAt)})`,
  },
  {
    type: 'entry.unverified',
    condition: sql`${active} and not entry.locally_managed and entry.seen_running_at between now() - interval '60 days' and now() - interval '30 days'`,
    stage: day(sql`entry.seen_running_at`),
    context: sql`jsonb_build_object('name', entry.name, 'id', entry.id, 'days', '30')`,
  },
  {
    type: 'entry.overdue',
    condition: sql`${active} and ${dueOn} <= current_date + 30`,
    stage: sql`case when ${dueOn} < current_date then ${day(sql`current_date`)} else ${day(dueOn)} || case when ${dueOn} <= current_date + 7 then '-7' else '-30' end end`,
    context: sql`jsonb_build_object('name', entry.name, 'id', entry.id, 'date', ${day(dueOn)})`,
  },
  {
    type: 'summary.ready',
    condition: sql`entry.kind = 'platform' and entry.status = 'ACTIVE' and extract(day from current_date) <= 3`,
    stage: sql`to_char(current_date - interval '1 month', 'YYYY-MM')`,
    context: sql`jsonb_build_object('platform', entry.name, 'month', to_char(current_date - interval '1 month', 'YYYY-MM'))`,
  },
];

const BATCH = 500;
/** Announces what comes with the date. Each stage is announced once per entry, in batches, so that a crash loses none. */
export const remindOwners = async (db: Db): Promise<void> => {
  for (const { type, condition, stage, context } of reminders) {
    let found = BATCH;
    while (found === BATCH)
      found = await transaction(db, async (trx) => {
        const { rows } = await sql<About & { people: string[]; event: string; context: Record<string, string> }>`
          select entry.id, entry.kind, catalog_hands(entry) as people, event.id as event, ${context} as context
          from catalog_entry entry cross join lateral (select ${type}::text || '/' || entry.id || '/' || ${stage} as id) event
          where ${condition} and not exists (select from notification_event where notification_event.id = event.id)
          order by entry.id limit ${BATCH}`.execute(trx);
        await notifyAll(
          trx,
          rows.map(({ people, event, context: values, ...about }) => eventOf(about, { type, id: event, people, context: values })),
        );
        return rows.length;
      });
  }
};

/** Tells those who answer for the entries of people who left the company. Each departure is announced once per entry. */
export const notifyLeft = async (trx: Db, people: readonly string[]): Promise<void> => {
  const { rows } = await sql<About & { hands: string[]; event: string; name: string; person: string }>`
    select entry.id, entry.kind, entry.name, catalog_hands(entry) as hands, identity.display_name as person,
      'owner.left/' || entry.id || '/' || identity.id || '/' || to_char(identity.left_at, 'YYYYMMDDHH24MISS') as event
    from catalog_entry entry join identity on identity.id = any(entry.owners)
    where entry.owners && ${[...people]}::text[] and identity.id = any(${[...people]}::text[]) and entry.status = 'ACTIVE'`.execute(trx);
  await notifyAll(
    trx,
    rows
      .filter(({ hands }) => hands.length > 0)
      .map(({ hands, event, name, person, ...about }) =>
        eventOf(about, { type: 'owner.left', id: event, people: hands, context: { name, person } }),
      ),
  );
};
