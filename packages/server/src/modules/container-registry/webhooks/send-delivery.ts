/** How a webhook's delivery is sent, what its tries leave behind, and when the platform disables a webhook. */
import { sql } from 'kysely';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { webhookLogDays, webhookRetrySeconds } from '@slipway/contract/registry/webhook.ts';
import { webhookKind } from '@slipway/contract/kinds/webhook.kind.ts';
import type { Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { postSigned, type DeliveryKind, type DeliveryTry, type TakenTarget } from '#modules/deliveries/index.ts';
import { insertTry, type DueWebhook } from './deliveries.sql.ts';
import type { WebhookDeps } from './webhook-entity.ts';

export interface WebhookRow extends TakenTarget {
  readonly app_id: string;
  readonly name: string;
  readonly target_url: string;
  readonly authorization_sealed: Buffer | null;
  readonly secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly previous_secret_until: Date | null;
  readonly skip_verification: boolean;
}

/** A webhook is disabled after it has only failed for this many days. */
const FAILING_DAYS = 3;
const DAY_MS = 86_400_000;

const send = async ({ outgoing, seals }: WebhookDeps, webhook: WebhookRow, { id, event, body }: DueWebhook): Promise<DeliveryTry> => {
  const secrets = [await seals.open(webhook.id, 'secret', webhook.secret_sealed)];
  const { previous_secret_sealed: previous, previous_secret_until: until } = webhook;
  if (previous && until && until > new Date()) secrets.push(await seals.open(webhook.id, 'secret', previous));
  const sealed = webhook.authorization_sealed;
  return postSigned(outgoing, {
    id,
    url: webhook.target_url,
    event,
    body,
    secrets,
    authorization: sealed ? await seals.open(webhook.id, 'authorization', sealed) : undefined,
    skipCertificateVerification: webhook.skip_verification,
  });
};

export type WebhookDeliveries = DeliveryKind<WebhookRow, DueWebhook, DeliveryTry>;
export const webhookDeliveries = (deps: WebhookDeps): WebhookDeliveries => ({
  target: 'webhook',
  delivery: 'webhook_delivery',
  key: 'webhook_id',
  retrySeconds: webhookRetrySeconds,
  receiver: sql`lower(coalesce(substring(target_url from '^[A-Za-z]+://([^/?#]*)'), ''))`,
  isReady: sql`enabled`,
  inPlaces: (apps) => sql`app_id = any(${apps})`,
  keptDays: webhookLogDays,
  send: (webhook, due) => send(deps, webhook, due),
  onTried: async (trx, webhook, { due, made, failingSince }) => {
    await insertTry(trx, due, made);
    await notifyChange(trx, { kind: webhookKind.kind, app: webhook.app_id, webhook: webhook.name });
    const isFailing = failingSince !== null && Date.now() - failingSince.getTime() > FAILING_DAYS * DAY_MS;
    if (!made.isGone && !isFailing) return true;
    await disable(trx, webhook, made.isGone ? 'GONE' : 'FAILING');
    return false;
  },
});

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
