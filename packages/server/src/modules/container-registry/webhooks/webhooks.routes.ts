/** Webhooks over HTTP: the kernel's routes, and those of signing secrets, tests and the log. */
import {
  webhookCreate,
  webhookDeliveryList,
  webhookDeliveryResend,
  webhookDeliveryView,
  webhookSecretRotate,
  webhookTest,
  webhookUpdate,
  type Webhook,
} from '@slipway/contract/registry/webhook.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { newSigningSecret } from '#modules/deliveries/index.ts';
import type { PipelineEngine } from '#modules/pipelines/index.ts';
import { changeNow, createEntity, overlapEnd, requireEntity, resourceModule, updateEntity, type Change } from '#modules/resources/index.ts';
import { askAgain, deliveryDetails, deliveryPage } from './deliveries.sql.ts';
import { lastTest, sendTest } from './test-delivery.ts';
import { checkTargetUrl, prepareWebhook, webhookEntity, type WebhookDeps } from './webhook-entity.ts';

interface Asked {
  readonly params: { readonly app: string; readonly webhook: string };
  readonly owner: Owner;
  readonly caller: Caller;
}
const changeOf = ({ params, owner, caller }: Asked, change: Pick<Change, 'reason' | 'message' | 'after'>): Change => ({
  ...change,
  caller,
  names: { app: params.app, webhook: params.webhook },
  team: owner.teamId,
  title: params.webhook,
});

const rowOf = async ({ db }: WebhookDeps, { params }: Asked) => {
  const row = await db
    .selectFrom('webhook')
    .selectAll()
    .where('app_id', '=', params.app)
    .where('name', '=', params.webhook)
    .executeTakeFirst();
  if (!row) throw new Problem('WebhookDoesNotExist');
  return row;
};

export const webhookRoutes = (deps: WebhookDeps & { readonly engine: PipelineEngine; readonly look: (app: string) => void }): Handler[] => {
  const { db, seals, look } = deps;
  const entity = webhookEntity(deps);
  const area = resourceModule(deps, entity);
  const one = (c: Asked): Promise<Webhook> => requireEntity(db, entity, c.params, c.caller);
  const details = async (c: Asked & { readonly params: { readonly delivery: string } }) => {
    const row = await rowOf(deps, c);
    const found = await deliveryDetails(db, { id: row.id, targetUrl: row.target_url, enabled: row.enabled }, c.params.delivery);
    if (!found) throw new Problem('WebhookDeliveryDoesNotExist');
    return found;
  };
  return [
    area.handlers.list,
    area.handlers.view,
    area.handlers.remove,
    handle(webhookCreate, async ({ params, owner, caller, body }) => {
      const prepared = await prepareWebhook(deps)({ wanted: body });
      const { names } = await createEntity(area.deps, entity, { caller, owner, names: { app: params.app }, wanted: prepared });
      return { ...(await requireEntity(db, entity, names, caller)), secret: prepared.secret };
    }),
    handle(webhookUpdate, async (c) => {
      const { id } = await rowOf(deps, c);
      const { authorization, targetUrl } = c.body;
      await checkTargetUrl(deps, targetUrl);
      const sealed = authorization ? await seals.seal(id, 'authorization', authorization) : undefined;
      const names = { app: c.params.app, webhook: c.params.webhook };
      await updateEntity(area.deps, entity, { caller: c.caller, owner: c.owner, names, wanted: { ...c.body, sealed } });
      look(c.params.app);
      return one(c);
    }),
    handle(
      webhookTest,
      (c) => sendTest(deps, c, changeOf),
      (c) => lastTest(deps, c),
    ),
    handle(webhookSecretRotate, async (c) => {
      const { id, name } = await rowOf(deps, c);
      const { overlapHours } = c.body;
      const signingSecret = newSigningSecret();
      const sealed = await seals.seal(id, 'secret', signingSecret);
      const previousUntil = overlapHours === 0 ? null : overlapEnd(overlapHours);
      await changeNow(db, { entity, route: webhookSecretRotate, verb: 'update' }, c, async (_, trx) => {
        const changed = await trx
          .updateTable('webhook')
          .set((at) => ({
            previous_secret_sealed: previousUntil ? at.ref('secret_sealed') : null,
            previous_secret_until: previousUntil,
            secret_sealed: sealed,
            secret_at: new Date(),
          }))
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst();
        // Another webhook of the name may have been created meanwhile, for which the secret is not sealed.
        if (!changed) throw new Problem('WebhookDoesNotExist');
        return {
          reason: 'Rotated',
          message: `${c.caller.displayName} made a new signing secret for the webhook ${name}`,
          after: { overlapHours },
        };
      });
      return { name, signingSecret, previousEndsAt: previousUntil?.toISOString() ?? null };
    }),
    handle(webhookDeliveryList, async (c) => deliveryPage(db, (await rowOf(deps, c)).id, c.query)),
    handle(webhookDeliveryView, details),
    handle(
      webhookDeliveryResend,
      async (c) => {
        const { id, enabled, name } = await rowOf(deps, c);
        if (!enabled) throw new Problem('WebhookDisabled');
        await changeNow(db, { entity, route: webhookDeliveryResend, verb: 'update' }, c, async (_, trx) => {
          if (!(await askAgain(trx, id, c.params.delivery))) throw new Problem('WebhookDeliveryDoesNotExist');
          const message = `${c.caller.displayName} sent a delivery of the webhook ${name} again`;
          return { reason: 'SentAgain', message, after: { delivery: c.params.delivery } };
        });
        look(c.params.app);
        return details(c);
      },
      details,
    ),
  ];
};
