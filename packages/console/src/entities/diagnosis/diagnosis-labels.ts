/** Texts of a revision's diagnosis: what was observed, what is safe, and a link to the next step. */
import type { Diagnosis, DiagnosisCode } from '@slipway/contract/service/diagnosis.ts';
import { eventCause, eventDetail, exitText } from '@slipway/contract/service/instance-event-texts.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import type { Tone } from '@slipway/ui/tone.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { revisionNumber } from '#entities/pipeline/index.ts';

export type RevisionRef = ServiceRef & { revision: string };
export interface DiagnosisSeen {
  tone: Tone;
  text: string;
}
export interface DiagnosisHelp {
  label: string;
  href: string;
}

/** Codes of revisions that are slow to start, not broken. */
const waiting: ReadonlySet<DiagnosisCode> = new Set(['StartsSlowly', 'RuntimeDown']);
/** Codes of revisions whose image was pulled and whose secrets were read. */
const started: ReadonlySet<DiagnosisCode> = new Set(['NotHealthy', 'WrongPort', 'IgnoresPort', 'ProbeFailed']);

/** `isOver`: no instance of the revision runs. */
export const diagnosisTitle = ({ code }: Pick<Diagnosis, 'code'>, revision: string, isOver = false): string => {
  const name = `Revision ${revisionNumber(revision)}`;
  if (isOver) return `Why did ${name.toLowerCase()} fail?`;
  if (code === 'ProbeFailed') return `${name} is not well`;
  return waiting.has(code) ? `Why does ${name.toLowerCase()} take so long?` : `Why is ${name.toLowerCase()} failing?`;
};

export const timesLabel = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count.toLocaleString('en')} times`);

/** Returns undefined if the event happened once and `said`, the sentence above it, says the same. */
const eventSeen = (event: NonNullable<Diagnosis['evidence']['event']>, said: string): string | undefined => {
  // The observation of a health check needs no explanation.
  const cause = event.reason === 'NotHealthyYet' ? eventDetail(event) : eventCause(event);
  const span = Date.parse(event.lastAt) - Date.parse(event.at);
  const often = event.count < 2 ? undefined : `${timesLabel(event.count)}${span >= 1000 ? ` in ${duration(span)}` : ''}`;
  if (said !== '' && cause.startsWith(said.replace(/\.$/, ''))) return often && `Seen ${often}`;
  return often === undefined ? cause : `${cause}, ${often}`;
};

/** Returns problems first, then what is safe. `said` is the sentence above the list, which is not repeated. */
export const diagnosisSeen = ({ evidence, stillServing, code }: Diagnosis, revision: string, said = ''): DiagnosisSeen[] => {
  const { event, exit, restarts } = evidence;
  const tone: Tone = waiting.has(code) ? 'warn' : 'bad';
  const words = event ? eventSeen(event, said) : undefined;
  const seen: DiagnosisSeen[] = words ? [{ tone, text: words }] : [];
  if (exit) {
    const again = restarts > 0 ? `, restarted ${timesLabel(restarts)}` : '';
    seen.push({ tone: 'bad', text: `Its last instance ended with ${exitText(exit)}${again}` });
  }
  if (started.has(code)) seen.push({ tone: 'ok', text: 'Image, secrets and memory are fine' });
  if (stillServing !== null && stillServing !== revision)
    seen.push({ tone: 'ok', text: `Revision ${revisionNumber(stillServing)} still serves. No action needed.` });
  return seen;
};

export const logHref = (ref: RevisionRef): string => `${paths.revision(ref)}#logs`;
export const logLineHref = (ref: RevisionRef, { instance, number }: { instance: string; number: number }): string =>
  `${paths.revision(ref)}?line=${encodeURIComponent(`${instance}:${number}`)}#logs`;

const settingsLabels: Readonly<Record<string, string>> = {
  network: 'Open the network settings',
  resources: 'Open the memory settings',
  health: 'Open the health check',
};

/** Returns the setting that certainly ends the problem, as `path:value`, and what a button that proposes it says. */
const fixOf = ({ code, context }: Pick<Diagnosis, 'code' | 'context'>): { label: string; fix: string } | undefined => {
  const [listens = '', limit = ''] = [context['listens'], context['limit']];
  if (code === 'WrongPort' && /^\d+$/.test(listens))
    return { label: `Set the exposed port to ${listens}`, fix: `spec.exposedPort:${listens}` };
  if (code !== 'OutOfMemory' || !/^\d+$/.test(limit)) return undefined;
  return { label: `Raise the memory to ${2 * Number(limit)} MB`, fix: `spec.resources.memoryMegabytes:${2 * Number(limit)}` };
};

/**
 * Returns undefined if there is nothing to do, or the user may not do it. `isOfSettings`: changed settings started the revision, so changing
 * them again starts it again. If another image started it while an earlier revision serves, new settings would start the earlier image.
 */
export const diagnosisHelp = (diagnosis: Diagnosis, ref: RevisionRef, isOfSettings = false): DiagnosisHelp | undefined => {
  const { place, target } = diagnosis.next;
  switch (place) {
    case 'settings': {
      const fixed = isOfSettings || diagnosis.stillServing === null ? fixOf(diagnosis) : undefined;
      const label = fixed?.label ?? settingsLabels[target ?? ''] ?? 'Open the settings';
      return { label, href: paths.serviceSettings(ref, target ?? undefined, fixed && { fix: fixed.fix }) };
    }
    case 'logs':
      return { label: `Read the log of revision ${revisionNumber(ref.revision)}`, href: logHref(ref) };
    case 'pipeline':
      return target ? { label: 'View the pipeline', href: paths.pipeline({ ...ref, pipeline: target }) } : undefined;
    case 'secrets':
      return target
        ? { label: `Open the secret group ${target}`, href: paths.secretGroup({ app: ref.app, env: ref.env, group: target }) }
        : { label: 'Look at its secrets', href: paths.serviceSecrets(ref) };
    case 'registry':
      return { label: 'Look at the registry', href: paths.containerRegistry(ref) };
    case 'deploy':
      return { label: 'Choose another image tag', href: `${paths.service(ref)}?run=pipeline` };
    case 'none':
      return undefined;
  }
};
