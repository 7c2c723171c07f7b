/** What is done with an account besides making, changing and deleting it: rotate, take the password, end the former user, repair. */
import { accountResource, type Account } from '@slipway/contract/streaming/account.ts';
import { accountFormerPasswordEnd, accountPasswordTake, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { accountRepair } from '@slipway/contract/streaming/account-rights.ts';
import { accountKind } from '@slipway/contract/streaming/account.kind.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { PlanNote, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { Transaction } from 'kysely';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { handle, type Caller, type Context, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { planOf, runFor, triggerBy, type PipelineEngine } from '#modules/pipelines/index.ts';
import { lockFor, recordChange, requireEntity, startOn } from '#modules/resources/index.ts';
import { requireFreeGroup } from '#modules/secret-groups/index.ts';
import type { accountEntity } from './account-entity.ts';
import type { AccountPipelines, GrantDecision } from './account-pipelines.ts';
import { accountRow, namesOf, type AccountDeps, type AccountNames } from './account-rows.ts';
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

/** The row is locked, and its rules are asked, for a plan as for the write. */
export const lockAccount = (
  trx: Transaction<DB>,
  { entity }: Pick<WriteDeps, 'entity'>,
  { caller, params }: Pick<Asked, 'caller' | 'params'>,
  verb: string,
): Promise<Account> => lockFor(trx, entity, { caller, names: namesOf(params) }, verb);
const subjectOfAccount = (params: AccountNames, team: string) => subjectOf(accountKind, { ...params }, { team });

/** A pipeline that makes the rules of an account follow its grants, once a decision is written. */
export const startRules = (
  { engine, entity, pipelines }: WriteDeps,
  trx: Transaction<DB>,
  { caller, owner, params }: Asked,
  decision?: GrantDecision,
): Promise<string> =>
  startOn(engine, trx, entity, {
    names: namesOf(params),
    definition: pipelines.rules,
    input: { ...params, ...(decision ? { decision } : {}) },
    subject: subjectOfAccount(params, owner.teamId),
    createdBy: caller,
    trigger: triggerBy(caller),
  });

const note = (code: string, context: PlanNote['context']): PlanNote => ({ code, context });

const rotate = async (deps: WriteDeps, c: Context<typeof accountRotate>): Promise<PlanOrRun> => {
  const { db, engine, entity, pipelines } = deps;
  const { caller, owner, params, body, query } = c;
  const { overlapHours, secretGroup } = body;
  const definition = overlapHours === 0 ? pipelines.replacement : pipelines.rotation;
  const subject = subjectOfAccount(params, owner.teamId);
  const names = namesOf(params);
  const done = await transaction(db, async (trx) => {
    const account = await lockAccount(trx, deps, c, 'rotate');
    const row = await accountRow(trx, names);
    if (!row) throw new Problem('AccountDoesNotExist');
    const group = row.secret_group ?? secretGroup;
    if (row.secret_group === null && secretGroup !== undefined) {
      await requireFreeGroup(trx, { app: row.app_id, environment: row.environment, group: secretGroup });
      if (!query.dryRun) await trx.updateTable('account').set({ secret_group: secretGroup }).where('id', '=', row.id).execute();
    }
    if (query.dryRun) {
      const kept = overlapHours === 0 ? note('FormerPasswordEndsAtOnce', {}) : note('FormerPasswordStays', { hours: String(overlapHours) });
      const made = group === undefined ? note('ShowsPasswordOnce', {}) : note('MakesPassword', { group });
      const warnings = row.environment === 'production' ? [note('ProductionChange', {})] : [];
      const steps = definition.steps.map(({ code }) => code);
      return { draft: { pipelineType: definition.type, steps, consequences: [made, kept], warnings }, pipelineId: undefined };
    }
    const input = { ...params, overlapHours };
    const pipelineId = await startOn(engine, trx, entity, {
      names,
      definition,
      input,
      subject,
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await recordChange(trx, accountResource, accountRotate, {
      caller,
      names,
      team: owner.teamId,
      title: account.name,
      pipelineId,
      reason: 'Rotated',
      message: `${caller.displayName} asked for a new password of the account ${account.name}`,
      after: { overlapHours, secretGroup: group },
    });
    return { pipelineId };
  });
  return done.pipelineId === undefined ? planOf(db, subjectKey(subject), done.draft) : runFor(db, done.pipelineId, caller);
};

const endFormer = (deps: WriteDeps, c: Context<typeof accountFormerPasswordEnd>): Promise<Account> =>
  transaction(deps.db, async (trx) => {
    const { caller, owner, params } = c;
    const names = namesOf(params);
    const { id, name, credentials } = await lockAccount(trx, deps, c, 'endFormerPassword');
    // Whoever watches the accounts ends it within seconds.
    await trx.updateTable('account').set({ former_ends_at: new Date() }).where('id', '=', id).execute();
    await recordChange(trx, accountResource, accountFormerPasswordEnd, {
      caller,
      names,
      team: owner.teamId,
      title: name,
      reason: 'FormerPasswordEnded',
      message: `${caller.displayName} ended the former password of the account ${name}`,
      before: { former: credentials?.former },
    });
    return requireEntity(trx, deps.entity, names, caller);
  });

const take = async (deps: WriteDeps, { caller, owner, params }: Context<typeof accountPasswordTake>) => {
  const names = namesOf(params);
  const row = await accountRow(deps.db, names);
  if (!row) throw new Problem('AccountDoesNotExist');
  return takePassword(deps, row, caller, (trx, user) =>
    recordChange(trx, accountResource, accountPasswordTake, {
      caller,
      names,
      team: owner.teamId,
      title: row.name,
      reason: 'PasswordTaken',
      message: `${caller.displayName} was shown the new password of ${user}`,
      after: { user },
    }),
  );
};

const repair = async (deps: WriteDeps, c: Context<typeof accountRepair>) => {
  const { caller, owner, params } = c;
  const pipelineId = await transaction(deps.db, async (trx) => {
    const { name } = await lockAccount(trx, deps, c, 'repair');
    const started = await startRules(deps, trx, c);
    await recordChange(trx, accountResource, accountRepair, {
      caller,
      names: namesOf(params),
      team: owner.teamId,
      title: name,
      pipelineId: started,
      reason: 'Repaired',
      message: `${caller.displayName} asked for the rules of the account ${name} to be put back`,
    });
    return started;
  });
  return runFor(deps.db, pipelineId, caller);
};

export const accountWrites = (deps: WriteDeps): Handler[] => [
  handle(accountRotate, (c) => rotate(deps, c)),
  handle(accountPasswordTake, (c) => take(deps, c)),
  handle(
    accountFormerPasswordEnd,
    (c) => endFormer(deps, c),
    (c) => requireEntity(deps.db, deps.entity, namesOf(c.params), c.caller),
  ),
  handle(accountRepair, (c) => repair(deps, c)),
];
