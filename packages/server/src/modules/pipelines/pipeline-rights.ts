/** Rights to cancel and re-run pipelines and to read their logs, by definition and for the team that owns the subject. */
import { kinds } from '@slipway/contract/kinds.ts';
import { pipelineCancelRule, pipelineRerunRule, pipelineStopWaitingRule, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { memberRule, ownerRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import type { PipelineRights } from './definition.ts';

const declared = new Map<string, PipelineRights>();
const usual: PipelineRights = { role: 'member' };

/** Declares the rights of a pipeline type. Engines declare every type that they register in this process, because reads know no engine. */
export const declareRights = (type: string, rights: PipelineRights = usual): void => void declared.set(type, rights);

export interface Owned {
  readonly team: string | null;
  readonly createdBy: string;
  readonly rights: PipelineRights;
}
/**
 * Returns the ownership of a row. A type that this version does not know has the default rights, so members read its logs. The engine
 * refuses to re-run it.
 */
export const ownedOf = (row: { type: string; team: string | null; createdBy: string }): Owned => ({
  team: row.team,
  createdBy: row.createdBy,
  rights: declared.get(row.type) ?? usual,
});

const isStarters = (actor: Actor, { createdBy, rights }: Owned): boolean => rights.isStartersToo === true && actor.id === createdBy;

export const interveneRule = (actor: Actor, owned: Owned): true | 'NotAMember' | 'NotAnOwner' => {
  if (isStarters(actor, owned)) return true;
  return owned.rights.role === 'owner' ? ownerRule(actor, owned.team ?? '') : memberRule(actor, owned.team ?? '');
};

/** Whether the actor may read a step's log. */
export const logRule = (actor: Actor, owned: Owned): true | 'NotAMember' =>
  isStarters(actor, owned) ? true : memberRule(actor, owned.team ?? '');

/** Returns the kinds that are hidden from strangers. Strangers cannot read the pipelines of these kinds either. */
export const hiddenKinds = (): readonly string[] =>
  kinds().flatMap(({ access, kind, pipelines }) => (access === 'appMemberHidden' && pipelines ? [kind] : []));

/** Whether the actor may know that the pipeline exists. */
export const isShown = (actor: Actor, { kind, team }: { kind: string | null; team: string | null }): boolean =>
  kind === null || !hiddenKinds().includes(kind) || memberRule(actor, team ?? '') === true;

export const canOf = (actor: Actor, owned: Owned, run: Pick<PipelineRun, 'status'>): PipelineRun['can'] => {
  const may = interveneRule(actor, owned);
  return may === true
    ? { cancel: pipelineCancelRule(run), rerun: pipelineRerunRule(run), stopWaiting: pipelineStopWaitingRule(run) }
    : { cancel: may, rerun: may, stopWaiting: may };
};
