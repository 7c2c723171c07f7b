/**
 * Sends the deliveries that are due. A worker takes a webhook by a lease and sends what it owes, one after the other, so that a slow target
 * holds up nobody else. A worker that dies lets its lease run out, and another one goes on: a delivery may then come twice, with the same id.
 */
import { sql } from 'kysely';
import { webhookLogDays } from '@slipway/contract/registry/webhook.ts';
import { webhookKind } from '@slipway/contract/registry/webhook.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';
import { recordActivity } from '#modules/activity/index.ts';
import type { Log } from '#ports/log.ts';
import { dueDelivery, recordTry, sweepDeliveries, type DueDelivery } from './deliveries.sql.ts';
import { sendDelivery, type DeliveryTry, type WebhookRow } from './send-delivery.ts';
import type { WebhookDeps } from './webhook-entity.ts';

const AT_ONCE = 8;
/** Twice as long as a try takes at most; each try begins it anew. */
const LEASE_SECONDS = 20;
/** So long one webhook is served before others have their turn. */
const TURN_MS = 20_000;
/** Nothing but failures for so long, and the webhook is disabled. */
const FAILING_DAYS = 3;
const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;
const platform = { id: 'platform', displayName: 'Slipway' };

export interface DeliveryWorkerOptions extends WebhookDeps {
  readonly log: Log;
}

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #loop: SweepLoop;
  #sweptAt = 0;
  #isStopped = true;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#loop = new SweepLoop((apps) => this.#sweep(apps), options.log, 'Webhooks could not be sent; trying again');
  }

  start(): void {
    this.#isStopped = false;
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
  }

  /** Something was announced for this app. */
  look(app: string): void {
    this.#loop.look(app);
  }

  async #sweep(apps: ReadonlySet<string> | undefined): Promise<void> {
    const { db } = this.#options;
    const token = newId('lease');
    for (let taken = await this.#take(token, apps); taken.length > 0 && !this.#isStopped; taken = await this.#take(token, apps))
      await Promise.all(taken.map((webhook) => this.#serve(webhook, token)));
    if (Date.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = Date.now();
    while ((await sweepDeliveries(db, webhookLogDays)) > 0 && !this.#isStopped);
  }

  async #take(token: string, apps: ReadonlySet<string> | undefined): Promise<WebhookRow[]> {
    const { db } = this.#options;
    const { rows } =
      await sql<WebhookRow>`update webhook set lease = ${token}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where id in (select id from webhook candidate
        where enabled and (leased_until is null or leased_until < now()) and ${apps ? sql`app_id = any(${[...apps]})` : sql`true`}
          and exists (select from webhook_delivery due
            where due.webhook_id = candidate.id and due.state = 'PENDING' and due.next_try_at <= now())
        limit ${AT_ONCE} for update skip locked) returning *`.execute(db);
    return rows;
  }

  async #serve({ id }: WebhookRow, token: string): Promise<void> {
    const { db } = this.#options;
    const end = Date.now() + TURN_MS;
    while (!this.#isStopped && Date.now() < end) {
      const webhook = await this.#leased(id, token);
      const due = webhook && (await dueDelivery(db, id));
      if (!webhook || !due) break;
      const made = await sendDelivery(this.#options, webhook, due);
      if (!(await this.#record(webhook, token, due, made))) break;
    }
    await sql`update webhook set lease = null, leased_until = null where id = ${id} and lease = ${token}`.execute(db);
  }

  /** As it is now: it may have been changed, disabled or deleted since the last try. */
  async #leased(id: string, token: string): Promise<WebhookRow | undefined> {
    const { rows } = await sql<WebhookRow>`select * from webhook where id = ${id} and lease = ${token} and enabled`.execute(
      this.#options.db,
    );
    return rows[0];
  }

  /** False where the webhook is not this worker's any more, or is disabled by now. */
  #record(webhook: WebhookRow, token: string, due: DueDelivery, made: DeliveryTry): Promise<boolean> {
    const { db } = this.#options;
    return transaction(db, async (trx) => {
      const { rows } = await sql<{ failing_since: Date | null }>`update webhook
        set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
          failing_since = ${made.failure === undefined ? null : sql`coalesce(failing_since, now())`}
        where id = ${webhook.id} and lease = ${token} returning failing_since`.execute(trx);
      const [row] = rows;
      if (!row) return false;
      await recordTry(trx, due, made);
      await notifyChange(trx, { kind: webhookKind.kind, app: webhook.app_id, webhook: webhook.name });
      const isFailing = row.failing_since !== null && Date.now() - row.failing_since.getTime() > FAILING_DAYS * DAY_MS;
      if (!made.isGone && !isFailing) return true;
      await disable(trx, webhook, made.isGone ? 'GONE' : 'FAILING');
      return false;
    });
  }
}

const reasons = { GONE: 'its target answered 410 Gone', FAILING: `nothing was delivered for ${FAILING_DAYS} days` } as const;

const disable = async (trx: Db, { id, app_id: app, name }: WebhookRow, reason: keyof typeof reasons): Promise<void> => {
  await sql`update webhook set enabled = false, disabled_reason = ${reason}, lease = null, leased_until = null where id = ${id}`.execute(
    trx,
  );
  const owner = await trx.selectFrom('app').select('team_id').where('id', '=', app).executeTakeFirst();
  await recordActivity(trx, {
    type: 'webhookDisable',
    reason: reason === 'GONE' ? 'Gone' : 'Failing',
    level: 'WARNING',
    message: `Slipway disabled the webhook ${name}: ${reasons[reason]}`,
    actor: platform,
    origin: 'platform',
    outcome: 'DONE',
    subject: subjectOf(webhookKind, { app, webhook: name }, { team: owner?.team_id }),
  });
};
