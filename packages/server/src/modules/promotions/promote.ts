/** Plans and starts the promotion of an app: one pipeline whose parts are production's own writes. */
import type { ErrorCode, FieldError } from '@slipway/contract/kernel/errors.ts';
import { promotionKinds, type AppPromote } from '@slipway/contract/promotion.ts';
import type { Plan, PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { transaction } from '#db/database.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { appSubject, lockApp } from '#modules/apps/index.ts';
import { planFreeze, refuseFrozen } from '#modules/freezes/index.ts';
import { note, PipelineActive, planOf, triggerBy, type PipelineDefinition, type PipelineEngine } from '#modules/pipelines/index.ts';
import { approvingTeam } from '#modules/services/index.ts';
import { compareOne, dryRun } from './comparison.ts';
import { insertParts, promotionSubject } from './parts.sql.ts';
import type { Compared, PromotionDeps } from './promoted-kind.ts';
import { stepOf, type PromotionInput } from './promotion.pipeline.ts';

export interface PromoteDeps extends PromotionDeps {
  readonly engine: PipelineEngine;
  readonly pipeline: PipelineDefinition<PromotionInput, object>;
}
export interface Asked {
  readonly app: string;
  readonly owner: Owner;
  readonly caller: Caller;
  readonly parts: AppPromote['parts'];
}
type Part = AppPromote['parts'][number];
interface Ready extends Part {
  /** In the list that was sent. */
  readonly field: string;
  readonly compared: Compared;
}

/** In the order in which they are promoted. Throws an error at each part that changed since it was compared. */
const readyParts = async (deps: PromotionDeps, { app, caller, parts }: Asked): Promise<Ready[]> => {
  const errors: FieldError[] = [];
  const ready: Ready[] = [];
  for (const [index, part] of parts.entries()) {
    const field = `parts.${index}`;
    const found = await compareOne(deps, part.kind, { app, name: part.name, caller });
    if (!found?.compared || found.row.mark !== part.mark) errors.push({ field: `${field}.mark`, code: 'ProductionChangedMeanwhile' });
    else if (part.kind === 'secretGroup' && !part.entries?.length) errors.push({ field: `${field}.entries`, code: 'Required' });
    else ready.push({ ...part, field, compared: found.compared });
  }
  if (errors.length > 0) throw Problem.fields(errors);
  return ready.toSorted((a, b) => promotionKinds.indexOf(a.kind) - promotionKinds.indexOf(b.kind));
};

/** Refusals that end when an earlier part of the promotion has made what is missing. */
const passing: readonly ErrorCode[] = [
  'SchemaDoesNotExist',
  'TopicDoesNotExist',
  'SecretGroupDoesNotExist',
  'SecretKeyNotReferenced',
  'SecretVolumeNotReferenced',
];
/** `made` are the secret groups that earlier parts make. */
const notesOf = async (deps: PromotionDeps, { caller }: Asked, part: Ready, made: ReadonlySet<string>) => {
  const { field, name, kind, entries = [] } = part;
  const at = (one: PlanNote): PlanNote => ({ ...one, field });
  if (kind === 'secretGroup')
    return { consequences: [note('SetsSecretKeys', { group: name, keys: entries.map(({ key }) => key).join(', ') }, field)], warnings: [] };
  try {
    const { consequences, warnings, approval } = await dryRun(deps, caller, part.compared.write(part));
    return {
      consequences: consequences.length > 0 ? consequences.map(at) : [note('PromotesPart', { name }, field)],
      warnings: [
        ...warnings.filter(({ code, context: { group = '' } }) => code !== 'ProductionChange' && !made.has(group)).map(at),
        ...(approval ? [note('AsksApproval', { name, team: approval.team }, field)] : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    if (passing.includes(error.code))
      return { consequences: [note('PromotesPart', { name }, field), note('PartCheckedLater', {}, field)], warnings: [] };
    return { consequences: [], warnings: [note('PartRefused', { name, reason: error.message }, field)] };
  }
};

export const planPromotion = async (deps: PromoteDeps, asked: Asked): Promise<Plan> => {
  const ready = await readyParts(deps, asked);
  const consequences: PlanNote[] = [];
  const warnings: PlanNote[] = [];
  const made = new Set<string>();
  for (const part of ready) {
    const notes = await notesOf(deps, asked, part, made);
    for (const { code, context } of notes.consequences) if (/^(Sets|Makes)Secret/.test(code)) made.add(context['group'] ?? '');
    consequences.push(...notes.consequences);
    warnings.push(...notes.warnings);
  }
  const steps = [...new Set(ready.flatMap(({ kind }) => stepOf(kind) ?? []))];
  const freeze = isFreezable(ready) ? await planFreeze(deps.db, asked.caller, productionOf(asked)) : {};
  return planOf(deps.db, '', { pipelineType: deps.pipeline.type, steps, consequences, warnings, ...freeze });
};

const productionOf = ({ app }: Asked) => ({ app, environment: 'production' as const });
/** A freeze refuses changes of services alone. */
const isFreezable = (parts: readonly Ready[]): boolean => parts.some(({ kind }) => kind === 'service');
/** Throws ProductionFrozen before the first part is promoted. Services that need approval become requests, also during a freeze. */
const refuseFrozenStart = async ({ db }: PromotionDeps, asked: Asked, parts: readonly Ready[]): Promise<void> => {
  const at = productionOf(asked);
  if (isFreezable(parts) && !(await approvingTeam(db, at))) await refuseFrozen(db, at);
};

const requireIdle = async ({ db }: PromotionDeps, { app, owner }: Asked): Promise<void> => {
  const lock = appSubject(app, owner.teamId);
  const active = await db
    .selectFrom('pipeline_run')
    .select('run_id')
    .where('subject', '=', `${lock.kind}:${app}`)
    .where('state', 'in', ['QUEUED', 'PENDING', 'RUNNING'])
    .executeTakeFirst();
  if (active) throw new Problem('WorkflowExecutionAlreadyStarted');
};

/** Values of secrets are saved here, so that no pipeline holds them. Without the rest they change nothing that runs. */
const saveSecrets = async ({ callInside }: PromotionDeps, { caller }: Asked, parts: readonly Ready[]): Promise<void> => {
  for (const part of parts.filter(({ kind }) => kind === 'secretGroup')) {
    const { route, params, body } = part.compared.write(part);
    await callInside(route, { caller, params, body });
  }
};

export const startPromotion = async (deps: PromoteDeps, asked: Asked): Promise<string> => {
  const { app, caller, owner } = asked;
  const ready = await readyParts(deps, asked);
  await requireIdle(deps, asked);
  await refuseFrozenStart(deps, asked, ready);
  await saveSecrets(deps, asked, ready);
  return transaction(deps.db, async (trx) => {
    if ((await lockApp(trx, app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
    const subject = promotionSubject(app, owner.teamId);
    const started = await deps.engine
      .start(trx, deps.pipeline, {
        input: { app, origin: caller.origin },
        subject,
        lock: appSubject(app, owner.teamId),
        createdBy: { id: caller.id, displayName: caller.displayName },
        trigger: triggerBy(caller),
        facts: { parts: String(ready.length) },
      })
      .catch((error: unknown) => {
        throw error instanceof PipelineActive ? new Problem('WorkflowExecutionAlreadyStarted', { cause: error }) : error;
      });
    await insertParts(
      trx,
      started.pipelineId,
      ready.map(({ kind, name, mark, fields }) => ({ kind, name, mark, fields, state: kind === 'secretGroup' ? 'DONE' : 'WAITING' })),
    );
    await recordWrite(trx, caller, {
      type: 'appPromote',
      reason: 'Promoted',
      message: `${caller.displayName} promoted ${app} to production`,
      subject,
      pipelineId: started.pipelineId,
      after: { parts: ready.map(({ kind, name }) => `${kind} ${name}`) },
    });
    return started.pipelineId;
  });
};
