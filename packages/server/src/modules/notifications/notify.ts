/** Writes an event to the outbox, in the transaction of the change. Nobody is notified of a change that did not commit. */
import type { NoticeType } from '@slipway/contract/notification/notice-types.ts';
import type { Db } from '#db/database.ts';

export interface NotificationEvent {
  /** Unique for the event: another event with this id is dropped. */
  readonly id: string;
  readonly type: NoticeType;
  /** Identifies the entity, for example a subject key. Events of one type about one entity within ten minutes are one notice. */
  readonly entity: string;
  /** The team that owns the entity: its channels, and its members for types that go to the team. */
  readonly team?: string | null | undefined;
  /** Ids of the recipients, for types that go to people. */
  readonly people?: readonly string[];
  /** Identity that caused the event. It is not notified. */
  readonly actor?: string | undefined;
  /** Values of the templates in the table of notice types. */
  readonly context: Readonly<Record<string, string>>;
  /** Page in the console. */
  readonly path: string;
}

export const notify = (trx: Db, event: NotificationEvent): Promise<void> => notifyAll(trx, [event]);

/** Writes several events in one statement. */
export const notifyAll = async (trx: Db, events: readonly NotificationEvent[]): Promise<void> => {
  if (events.length === 0) return;
  const rows = events.map(({ id, type, entity, team, people, actor, context, path }) => ({
    id,
    type,
    entity,
    team_id: team ?? null,
    identity_ids: [...(people ?? [])],
    actor_id: actor ?? null,
    context: JSON.stringify(context),
    path,
  }));
  await trx
    .insertInto('notification_event')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};
