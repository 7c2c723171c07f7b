/**
 * Sends the deliveries that are due. A worker leases a webhook and sends its due deliveries, one after the other. When a webhook is done,
 * the worker takes the next one, so a slow receiver delays only its own webhooks. Webhooks whose last try failed get at most half of the
 * slots. If a worker dies, its lease expires and another worker continues. A delivery may then arrive twice, with the same id.
 */
import { sql } from 'kysely';
import { webhookLogDays } from '@slipway/contract/registry/webhook.ts';
import { webhookKind } from '@slipway/contract/registry/webhook.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import type { Log } from '#ports/log.ts';
import { dueDelivery, recordTry, sweepDeliveries, type DueDelivery } from './deliveries.sql.ts';
import { sendDelivery, type DeliveryTry, type WebhookRow } from './send-delivery.ts';
import type { WebhookDeps } from './webhook-entity.ts';

/** Webhooks served at once: in total and per receiver (host and port). Failing webhooks get at most a share of both limits. */
const AT_ONCE = 64;
const AT_ONCE_BY_RECEIVER = 16;
const FAILING_SHARE = 0.5;
const receiverOf = (url: string): string => /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? '';
/** Twice the longest duration of a try. Each try renews the lease. */
const LEASE_SECONDS = 20;
/** Longest time to serve one webhook before others get their turn. */
const TURN_MS = 20_000;
/** A webhook is disabled after it has only failed for this many days. */
const FAILING_DAYS = 3;
const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;

export interface DeliveryWorkerOptions extends WebhookDeps {
  readonly log: Log;
}

interface TakenWebhook extends WebhookRow {
  readonly failing_since: Date | null;
}
interface Serving {
  readonly ended: Promise<unknown>;
  readonly receiver: string;
  readonly isFailing: boolean;
}

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #loop: SweepLoop;
  /** Webhooks being served, by webhook id. */
  readonly #serving = new Map<string, Serving>();
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
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.all([...this.#serving.values()].map(({ ended }) => ended));
  }

  /** Looks for due deliveries of this app after an announcement. */
  look(app: string): void {
    this.#loop.look(app);
  }

  async #sweep(apps: ReadonlySet<string> | undefined): Promise<void> {
    const { db } = this.#options;
    for (let taken = 1; taken > 0 && this.#serving.size < AT_ONCE && !this.#isStopped;) {
      const token = newId('lease');
      const webhooks = await this.#take(token, apps);
      for (const webhook of webhooks) this.#begin(webhook, token);
      taken = webhooks.length;
    }
    if (Date.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = Date.now();
    while ((await sweepDeliveries(db, webhookLogDays)) > 0 && !this.#isStopped);
  }

  /** Leases webhooks with due deliveries. Working webhooks come first, then those that have waited longest. */
  async #take(token: string, apps: ReadonlySet<string> | undefined): Promise<TakenWebhook[]> {
    const { db } = this.#options;
    const busy = [...this.#serving.values()];
    const failing = busy.filter(({ isFailing }) => isFailing);
    const byReceiver = (of: readonly Serving[]) =>
      JSON.stringify(
        Object.fromEntries(
          Map.groupBy(of, ({ receiver }) => receiver)
            .entries()
            .map(([receiver, all]) => [receiver, all.length]),
        ),
      );
    const { rows } = await sql<TakenWebhook>`with due as (
        select id, receiver, failing_since is not null as is_failing,
          row_number() over (partition by receiver order by failing_since is not null, leased_until nulls first, id) as turn,
          row_number() over (partition by receiver, failing_since is not null order by leased_until nulls first, id) as turn_alike,
          row_number() over (partition by failing_since is not null order by leased_until nulls first, id) as turn_of_all
        from webhook candidate, lower(coalesce(substring(target_url from '^[A-Za-z]+://([^/?#]*)'), '')) as receiver
        where enabled and (leased_until is null or leased_until < now()) and id <> all (${[...this.#serving.keys()]}) and ${apps ? sql`app_id = any(${[...apps]})` : sql`true`}
          and exists (select from webhook_delivery due
            where due.webhook_id = candidate.id and due.state = 'PENDING' and due.next_try_at <= now()))
      update webhook set lease = ${token}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where id in (select webhook.id from webhook join due on due.id = webhook.id
        where due.turn + coalesce((${byReceiver(busy)}::jsonb ->> receiver)::int, 0) <= ${AT_ONCE_BY_RECEIVER}
          and (not is_failing or (
            turn_alike + coalesce((${byReceiver(failing)}::jsonb ->> receiver)::int, 0) <= ${AT_ONCE_BY_RECEIVER * FAILING_SHARE}
            and turn_of_all + ${failing.length} <= ${AT_ONCE * FAILING_SHARE}))
          and enabled and (leased_until is null or leased_until < now())
        order by is_failing, turn limit ${AT_ONCE - this.#serving.size} for update of webhook skip locked) returning *`.execute(db);
    return rows;
  }

  #begin(webhook: TakenWebhook, token: string): void {
    const { log } = this.#options;
    const ended = this.#serve(webhook, token)
      .catch((error: unknown) => log.warn({ err: error, webhook: webhook.id }, 'A webhook could not be served; trying again'))
      .finally(() => {
        this.#serving.delete(webhook.id);
        this.#loop.lookAround();
      });
    this.#serving.set(webhook.id, { ended, receiver: receiverOf(webhook.target_url), isFailing: webhook.failing_since !== null });
  }

  async #serve({ id }: WebhookRow, token: string): Promise<void> {
    const { db } = this.#options;
    const end = Date.now() + TURN_MS;
    while (!this.#isStopped && Date.now() < end) {
      const webhook = await this.#leased(id, token);
      const due = webhook && (await dueDelivery(db, id));
      if (!webhook || !due) break;
      const made = await sendDelivery(this.#options, webhook, due);
      // After a failure, other webhooks get the slot before this one tries its next delivery.
      if (!(await this.#record(webhook, token, due, made)) || made.failure !== undefined) break;
    }
    await sql`update webhook set lease = null, leased_until = null where id = ${id} and lease = ${token}`.execute(db);
  }

  /** Reads the webhook again, because it may have been changed, disabled or deleted since the last try. */
  async #leased(id: string, token: string): Promise<WebhookRow | undefined> {
    const { rows } = await sql<WebhookRow>`select * from webhook where id = ${id} and lease = ${token} and enabled`.execute(
      this.#options.db,
    );
    return rows[0];
  }

  /** Records a try. Returns false if this worker no longer holds the lease, or if the try disabled the webhook. */
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
  await recordPlatformActivity(trx, {
    type: 'webhookDisable',
    reason: reason === 'GONE' ? 'Gone' : 'Failing',
    level: 'WARNING',
    message: `Slipway disabled the webhook ${name}: ${reasons[reason]}`,
    subject: subjectOf(webhookKind, { app, webhook: name }, { team: owner?.team_id }),
  });
};
