/** Actions on an account beside create, update and delete: rotate, take the password, end the former user, repair. */
import type { Transaction } from 'kysely';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { accountResource } from '@slipway/contract/streaming/account.ts';
import { accountFormerPasswordEnd, accountPasswordTake, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { accountRepair } from '@slipway/contract/streaming/account-rights.ts';
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import type { DB } from '#db/types.ts';
import { handle, type Caller, type Context, type Handler, type Owner } from '#kernel/http/handle.ts';
import { note, triggerBy, type PipelineEngine } from '#modules/pipelines/index.ts';
import { endFormerNow, recordChange, requireEntity, runAction, startAction, startOn } from '#modules/resources/index.ts';
import { requireFreeGroup } from '#modules/secret-groups/index.ts';
import type { accountEntity } from './account-entity.ts';
import type { AccountPipelines, GrantDecision } from './account-pipelines.ts';
import { requireAccount, type AccountDeps, type AccountNames } from './account-rows.ts';
import { takePassword } from './passwords.ts';

export interface WriteDeps extends AccountDeps {
  readonly engine: PipelineEngine;
  readonly entity: ReturnType<typeof accountEntity>;
  readonly pipelines: AccountPipelines;
}
interface Asked {
  readonly caller: Caller;
  readonly owner: Pick<Owner, 'teamId'>;
  readonly params: AccountNames;
}

/** Starts a pipeline that makes an account's rules match its grants, after a decision. */
export const startRules = (
  { engine, entity, pipelines }: WriteDeps,
  trx: Transaction<DB>,
  { caller, owner, params }: Asked,
  decision?: GrantDecision,
): Promise<string> =>
  startOn(engine, trx, entity, {
    names: params,
    definition: pipelines.rules,
    input: { ...params, ...(decision ? { decision } : {}) },
    subject: subjectOf(accountKind, { ...params }, { team: owner.teamId }),
    createdBy: caller,
    trigger: triggerBy(caller),
  });

/** Sets the group for the next passwords if the account has none yet. Returns the account's group. */
const chooseGroup = async (trx: Transaction<DB>, params: AccountNames, wanted: string | undefined): Promise<string | undefined> => {
  const { id, app_id: app, environment, secret_group: present } = await requireAccount(trx, params);
  if (present !== null || wanted === undefined) return present ?? undefined;
  await requireFreeGroup(trx, { app, environment, group: wanted });
  await trx.updateTable('account').set({ secret_group: wanted }).where('id', '=', id).execute();
  return wanted;
};

const take = async (deps: WriteDeps, { caller, owner, params }: Context<typeof accountPasswordTake>) => {
  const row = await requireAccount(deps.db, params);
  return takePassword(deps, row, caller, (trx, user) =>
    recordChange(trx, accountResource, accountPasswordTake, {
      caller,
      names: params,
      team: owner.teamId,
      title: row.name,
      reason: 'PasswordTaken',
      message: `${caller.displayName} was shown the new password of ${user}`,
      after: { user },
    }),
  );
};

export const accountWrites = (deps: WriteDeps): Handler[] => {
  const { db, entity, pipelines } = deps;
  const action = (route: RouteShape, verb: string) => ({ entity, route, verb });
  return [
    handle(accountRotate, (c) =>
      runAction(deps, action(accountRotate, 'rotate'), c, async ({ name }, trx) => {
        const { overlapHours } = c.body;
        const group = await chooseGroup(trx, c.params, c.body.secretGroup);
        return {
          definition: overlapHours === 0 ? pipelines.replacement : pipelines.rotation,
          input: { ...c.params, overlapHours },
          consequences: [
            group === undefined ? note('ShowsPasswordOnce') : note('MakesPassword', { group }),
            overlapHours === 0 ? note('FormerPasswordEndsAtOnce') : note('FormerPasswordStays', { hours: String(overlapHours) }),
          ],
          reason: 'Rotated',
          message: `${c.caller.displayName} asked for a new password of the account ${name}`,
          after: { overlapHours, secretGroup: group },
        };
      }),
    ),
    handle(accountPasswordTake, (c) => take(deps, c)),
    handle(
      accountFormerPasswordEnd,
      (c) => endFormerNow(db, { entity, route: accountFormerPasswordEnd }, c, ({ name }) => `the account ${name}`),
      (c) => requireEntity(db, entity, c.params, c.caller),
    ),
    handle(accountRepair, (c) =>
      startAction(deps, action(accountRepair, 'repair'), c, ({ name }) => ({
        definition: pipelines.rules,
        input: { ...c.params },
        reason: 'Repaired',
        message: `${c.caller.displayName} asked for the rules of the account ${name} to be put back`,
      })),
    ),
  ];
};
