/** Texts on why a pipeline failed and what helps, derived from the run alone. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { tickingDuration } from '@slipway/ui/format/duration.ts';
import type { Tone } from '@slipway/ui/tone.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { failedStepOf, isUndoing, revisionNumber } from '#entities/pipeline/index.ts';

export interface FailureSeen {
  tone: Tone;
  text: string;
}
export interface FailureHelp {
  label: string;
  href: string;
}

/** Returns the revision that a failed run could not start, or undefined if the run failed elsewhere. */
export const startedRevision = (run: PipelineRun): (ServiceRef & { revision: string }) | undefined => {
  const { app, env, service } = run.subject;
  const revision = run.facts['revision'];
  if (failedStepOf(run)?.code !== 'StartInstances' || !app || !env || !service || !revision) return undefined;
  return { app, env, service, revision };
};

/** Returns the cause as a sentence. Contains the code if there is no text for it. */
export const failureSentence = (run: PipelineRun): string => {
  const step = failedStepOf(run);
  if (!step) return run.statusMessage ?? 'The pipeline stopped before it was done.';
  return (
    run.statusMessage ?? (stepMessageOf(step.code, step.message) || step.message?.code || 'The step gave no reason. Its log may tell more.')
  );
};

/** Lists what the run left behind and what it did not touch. `serving`: the revision that receives the traffic now. */
export const failureSeen = (run: PipelineRun, serving: string | null): FailureSeen[] => {
  const { steps } = run.status;
  const left = steps.filter(({ message }) => message?.code === 'UndoFailed');
  const undone = steps.some(({ message }) => message?.code === 'Undone');
  const seen: FailureSeen[] = left.map((step) => ({ tone: 'bad', text: `${step.name}: ${stepMessageOf(step.code, step.message)}` }));
  if (isUndoing(run)) seen.push({ tone: 'run', text: 'What the pipeline had made is being removed.' });
  else if (undone)
    seen.push({
      tone: 'ok',
      text: left.length > 0 ? 'Everything else was rolled back.' : 'Rolled back.',
    });
  const isHalfGone =
    run.pipelineType.startsWith('Delete') && steps.some(({ isPointOfNoReturn, startedAt }) => isPointOfNoReturn && startedAt !== null);
  if (isHalfGone)
    seen.push({ tone: 'warn', text: 'What was deleted before it failed is gone. There is no way back: re-running it deletes the rest.' });
  else if (serving !== null)
    seen.push({ tone: 'ok', text: `Revision ${revisionNumber(serving)} still serves all traffic. No action needed.` });
  else if (left.length === 0) seen.push({ tone: 'ok', text: 'Nothing is half done. No action needed.' });
  return seen;
};

const ofStart = ({ subject: { app, env, service }, facts }: PipelineRun): FailureHelp | undefined => {
  const revision = facts['revision'];
  if (!app || !env || !service || !revision) return undefined;
  return { label: `Read the log of revision ${revisionNumber(revision)}`, href: `${paths.revision({ app, env, service, revision })}#logs` };
};

const ofName = ({ subject: { app, env }, pipelineType }: PipelineRun): FailureHelp | undefined => {
  if (pipelineType.startsWith('QuickstartApplication')) return { label: 'Choose another name', href: paths.newAppQuickstart() };
  if (!app || !env) return undefined;
  const href = pipelineType === 'QuickstartService' ? paths.newServiceQuickstart({ app, env }) : paths.newService({ app, env });
  return { label: 'Choose another name', href };
};

const nameConflicts: ReadonlySet<string | undefined> = new Set(['RepositoryAlreadyExists', 'RegistryProjectAlreadyExists']);
/** Returns true if the run failed because the name is taken: only another name helps. */
export const isNameTaken = (run: PipelineRun): boolean => nameConflicts.has(failedStepOf(run)?.message?.code);

/** Returns a next step that helps more than a retry, if there is one. */
export const failureHelp = (run: PipelineRun): FailureHelp | undefined => {
  const step = failedStepOf(run);
  const { app, env, service } = run.subject;
  switch (`${step?.code}.${step?.message?.code}`) {
    case 'StartInstances.CrashLoop':
    case 'StartInstances.NotHealthy':
    case 'StartInstances.WrongPort':
    case 'StartInstances.OutOfMemory':
    case 'StartInstances.MountRefused':
    case 'StartInstances.WorkingDirectoryRefused':
      return ofStart(run);
    case 'ValidateContainerImage.ImageDoesNotExist':
      return app && env && service
        ? { label: 'Choose another image tag', href: `${paths.service({ app, env, service })}?run=pipeline` }
        : undefined;
    default:
      return isNameTaken(run) ? ofName(run) : undefined;
  }
};

/** Returns a link to the settings form of a failed update, filled from the revision's snapshot if the run created one. */
export const fixHref = ({ pipelineType, subject: { app, env, service }, facts }: PipelineRun): string | undefined => {
  if (pipelineType !== 'UpdateService' || !app || !env || !service) return undefined;
  const revision = facts['revision'];
  return paths.serviceSettings({ app, env, service }, undefined, revision ? { from: revision } : {});
};

/** If the help is in the settings, opens them with the failed values: the service still has its previous settings. */
export const fixingHelp = (help: FailureHelp | undefined, fix: string | undefined): FailureHelp | undefined => {
  const [page = '', section = ''] = help?.href.split('#') ?? [];
  const [path, search] = page.split('?');
  if (!help || fix === undefined || path !== fix.split('?')[0]) return help;
  const filled = search === undefined ? fix : `${fix}${fix.includes('?') ? '&' : '?'}${search}`;
  return { ...help, href: section === '' ? filled : `${filled}#${section}` };
};

/** Failures of instances that ran. */
const ranCodes: ReadonlySet<string | undefined> = new Set(['NotHealthy', 'WrongPort', 'CrashLoop', 'OutOfMemory']);
/** Returns how long the instances that did not get healthy had until they were stopped. Empty if they were not, or may still run. */
export const stoppedSentence = (run: PipelineRun): string => {
  const step = failedStepOf(run);
  const { seconds, instances } = step?.message?.context ?? {};
  const codes = run.status.steps.map(({ message }) => message?.code);
  if (step?.code !== 'StartInstances' || !ranCodes.has(step.message?.code) || isUndoing(run)) return '';
  if (seconds === undefined || instances === undefined) return '';
  if (!codes.includes('Undone') || codes.includes('UndoFailed')) return '';
  const time = tickingDuration(Number(seconds) * 1000);
  return instances === '1' ? `Its instance was stopped after ${time}.` : `All ${instances} instances were stopped after ${time}.`;
};

/** Returns the cause, followed by what happened to the instances. */
export const failureText = (run: PipelineRun): string => {
  const [cause, stopped] = [failureSentence(run), stoppedSentence(run)];
  return stopped === '' ? cause : `${cause.replace(/(?<![.!?])$/, '.')} ${stopped}`;
};
