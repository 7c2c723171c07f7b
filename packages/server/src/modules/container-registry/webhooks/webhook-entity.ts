/** Defines webhooks for the resource kernel: maps rows to the contract's view, and creates and updates webhooks. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { maxWebhooks, webhookResource, type Webhook, type WebhookCreate, type WebhookUpdate } from '@slipway/contract/registry/webhook.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { countedAtMost } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { checkTarget, newSigningSecret, type Seals } from '#modules/deliveries/index.ts';
import type { Asked, Entity, Write } from '#modules/resources/index.ts';

export interface WebhookDeps {
  readonly db: Db;
  readonly outgoing: Outgoing;
  readonly seals: Seals;
}

interface Row {
  readonly name: string;
  readonly team_id: string;
  readonly description: string;
  readonly target_url: string;
  readonly event_types: Webhook['eventTypes'];
  readonly authorization_at: Date | null;
  readonly authorization_by: string | null;
  readonly authorization_by_name: string | null;
  readonly secret_at: Date;
  readonly previous_secret_until: Date | null;
  readonly skip_verification: boolean;
  readonly enabled: boolean;
  readonly disabled_reason: Webhook['disabledReason'];
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
  readonly last_at: Date | null;
  readonly last_state: 'PENDING' | 'DELIVERED' | 'FAILED' | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly created_by_name: string;
  readonly updated_at: Date;
}

/** Counts at most one thousand deliveries, so that a full log costs no more than a short one. */
const counted = (state: 'PENDING' | 'DELIVERED' | 'FAILED') => sql`(select count(*)::integer from (
  select from webhook_delivery kept where kept.webhook_id = webhook.id and kept.state = ${sql.lit(state)}
    and kept.created_at > now() - interval '7 days' order by kept.created_at desc limit ${sql.lit(countedAtMost)}) as some_of_them)`;
const columns = sql`webhook.*, app.team_id, ${counted('DELIVERED')} as delivered, ${counted('FAILED')} as failed, ${counted('PENDING')} as pending,
  newest.created_at as last_at, newest.state as last_state`;
const from = sql`webhook join app on app.id = webhook.app_id left join lateral (
  select created_at, state from webhook_delivery where webhook_id = webhook.id order by created_at desc, id desc limit 1) as newest on true`;

const toView = (row: Row, caller: Caller): Webhook => {
  const member = memberRule(caller, row.team_id);
  return {
    name: row.name,
    description: row.description,
    targetUrl: row.target_url,
    eventTypes: [...row.event_types],
    authorization: row.authorization_at && {
      setAt: row.authorization_at.toISOString(),
      setBy: { id: row.authorization_by ?? '', displayName: row.authorization_by_name ?? '' },
    },
    skipCertificateVerification: row.skip_verification,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    signingSecret: {
      setAt: row.secret_at.toISOString(),
      previousEndsAt: row.previous_secret_until && row.previous_secret_until > new Date() ? row.previous_secret_until.toISOString() : null,
    },
    deliveries: { delivered: row.delivered, failed: row.failed, pending: row.pending },
    lastDelivery: row.last_at && row.last_state ? { at: row.last_at.toISOString(), state: row.last_state } : null,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    updatedAt: row.updated_at.toISOString(),
    can: { update: member, delete: member, test: member },
  };
};

/** Rejects target URLs that are invalid or lead to internal addresses. */
export const checkTargetUrl = ({ outgoing }: Pick<WebhookDeps, 'outgoing'>, targetUrl: string): Promise<void> =>
  checkTarget(outgoing, targetUrl, { field: 'targetUrl', label: 'Target URL' });

export interface NewWebhook {
  readonly id: string;
  readonly wanted: z.output<typeof WebhookCreate>;
  readonly authorization: Buffer | null;
  readonly secret: string;
  readonly sealedSecret: Buffer;
}
export const prepareWebhook =
  (deps: WebhookDeps) =>
  async ({ wanted }: Pick<Asked<z.output<typeof WebhookCreate>, object>, 'wanted'>): Promise<NewWebhook> => {
    await checkTargetUrl(deps, wanted.targetUrl);
    const id = newId('wh');
    const secret = newSigningSecret();
    const authorization = wanted.authorization ? await deps.seals.seal(id, 'authorization', wanted.authorization) : null;
    return { id, wanted, authorization, secret, sealedSecret: await deps.seals.seal(id, 'secret', secret) };
  };

type WebhookSettings = Omit<z.output<typeof WebhookCreate>, 'name'>;
const settings = ({ description, targetUrl, eventTypes, skipCertificateVerification, enabled }: WebhookSettings) => ({
  description,
  target_url: targetUrl,
  event_types: [...new Set(eventTypes)],
  skip_verification: skipCertificateVerification,
  enabled,
});
/** Returns the settings for the activity log. They say whether an authorization header is set, but never its value. */
const logged = ({ authorization, ...rest }: WebhookSettings) => ({
  ...rest,
  ...(authorization === undefined ? {} : { authorization: authorization === null ? 'none' : 'set' }),
});
const setBy = (caller: Caller, sealed: Buffer | null) => ({
  authorization_sealed: sealed,
  authorization_at: sealed && new Date(),
  authorization_by: sealed && caller.id,
  authorization_by_name: sealed && caller.displayName,
});

const insert = async ({ trx, caller, names, wanted: { id, wanted, authorization, sealedSecret } }: Write<NewWebhook>) => {
  const { app = '' } = names;
  // Creations in one app run one at a time, so that none exceeds the limit.
  await trx.selectFrom('app').select('id').where('id', '=', app).forUpdate().execute();
  const { kept } = await trx
    .selectFrom('webhook')
    .select((at) => at.fn.countAll<number>().as('kept'))
    .where('app_id', '=', app)
    .executeTakeFirstOrThrow();
  if (kept >= maxWebhooks) throw new Problem('TooManyWebhooks');
  const row = await trx
    .insertInto('webhook')
    .values({
      id,
      app_id: app,
      name: wanted.name,
      ...settings(wanted),
      ...setBy(caller, authorization),
      secret_sealed: sealedSecret,
      created_by: caller.id,
      created_by_name: caller.displayName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && { after: { name: wanted.name, ...logged(wanted) } };
};

/** `sealed` holds the authorization header. The handler seals it outside the transaction, before it calls the kernel's update. */
export type WebhookChange = WebhookSettings & { readonly sealed?: Buffer | undefined };

const update = async ({ trx, caller, names, before, wanted }: Write<WebhookChange> & { readonly before: Webhook }) => {
  const { authorization, sealed } = wanted;
  await trx
    .updateTable('webhook')
    .set({
      ...settings(wanted),
      ...(authorization === undefined ? {} : setBy(caller, sealed ?? null)),
      // A user enabled it again, so the period of failures starts over.
      ...(wanted.enabled ? { disabled_reason: null, ...(before.enabled ? {} : { failing_since: null }) } : {}),
      updated_at: new Date(),
    })
    .where('app_id', '=', names['app'] ?? '')
    .where('name', '=', names['webhook'] ?? '')
    .execute();
  const { sealed: _, ...asked } = wanted;
  return { after: logged(asked) };
};

export const webhookEntity = (deps: WebhookDeps): Entity<Webhook, Row, NewWebhook, WebhookChange> => ({
  resource: webhookResource,
  table: 'webhook',
  key: { app: 'app_id', webhook: 'name' },
  columns,
  from,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at' },
  search: ['name', 'target_url', 'description'],
  toView,
  title: ({ name }) => name,
  create: {
    prepare: (asked) => prepareWebhook(deps)({ wanted: webhookResource.create.body.parse(asked.wanted) }),
    name: ({ wanted }) => wanted.name,
    field: 'name',
    insert,
  },
  complete: (
    { description, skipCertificateVerification, enabled },
    changes: z.output<typeof WebhookUpdate> & Pick<WebhookChange, 'sealed'>,
  ) => keepOmitted({ description, skipCertificateVerification, enabled }, changes),
  update,
  before: ({ name, description, targetUrl, eventTypes, enabled, skipCertificateVerification, authorization }) => ({
    name,
    description,
    targetUrl,
    eventTypes,
    enabled,
    skipCertificateVerification,
    authorization: authorization ? 'set' : 'none',
  }),
});
