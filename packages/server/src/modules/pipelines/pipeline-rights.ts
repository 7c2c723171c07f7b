/** Who may cancel and re-run: members of the team that owns the subject; for what changes a team or deletes an app, its owners. */
import { pipelineCancelRule, pipelineRerunRule, type PipelineRun } from '@slipway/contract/pipeline.ts';
import { memberRule, ownerRule, type Actor } from '@slipway/contract/rights.ts';

const OWNERS_ONLY: ReadonlySet<string> = new Set(['CreateTeam', 'UpdateTeam', 'DeleteTeam', 'DeleteApplication']);

export interface Subject {
  readonly type: string;
  readonly team: string | null;
  readonly createdBy: string;
}

/** A team that could not be created has no owner: whoever asked for it stands in. */
export const interveneRule = (actor: Actor, { type, team, createdBy }: Subject): true | 'NotAMember' | 'NotAnOwner' => {
  if (type === 'CreateTeam' && actor.id === createdBy) return true;
  return OWNERS_ONLY.has(type) ? ownerRule(actor, team ?? '') : memberRule(actor, team ?? '');
};

/** Reading a step's log. */
export const logRule = (actor: Actor, { type, team, createdBy }: Subject): true | 'NotAMember' =>
  type === 'CreateTeam' && actor.id === createdBy ? true : memberRule(actor, team ?? '');

export const canOf = (actor: Actor, subject: Subject, run: Pick<PipelineRun, 'status'>): PipelineRun['can'] => {
  const may = interveneRule(actor, subject);
  return may === true ? { cancel: pipelineCancelRule(run), rerun: pipelineRerunRule(run) } : { cancel: may, rerun: may };
};
