/** Diagnoses why a revision fails. Pure, so that every kind of diagnosis can be tested with rows only. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { eventCause, eventDetail, exitText } from '@slipway/contract/service/instance-event-texts.ts';
import type { InstanceEventCode } from '@slipway/contract/service/instance-event.ts';
import type { Instance, InstanceEvent, RevisionStatus } from '@slipway/contract/service/revision.ts';
import { slowStartSeconds, type Diagnosis, type DiagnosisCode } from '@slipway/contract/service/diagnosis.ts';

/** A frame of a stack trace of Node or Java. */
const frame = /^\s+at |^\s*\.{3} \d+ more$/;
/** The marker below a line of code, and what Node prints last. */
const noise = /^\s*[\^~]+\s*$|^Node\.js v\d/;

/** Keeps the message of a stack trace in view: leaves out all frames but the first, and lines that say nothing. */
export const withoutFrames = <T extends { readonly line: string }>(lines: readonly T[]): T[] =>
  lines.filter(({ line }, index) => !noise.test(line) && !(frame.test(line) && frame.test(lines[index - 1]?.line ?? '')));

export interface DiagnosisFacts {
  readonly status: RevisionStatus;
  readonly replicasWanted: number;
  readonly createdAt: Date;
  readonly spec: ServiceSpec;
  readonly image: string;
  readonly instances: readonly Instance[];
  /** Newest first. */
  readonly events: readonly InstanceEvent[];
  /** Final message of the pipeline run that made the revision or last started it. */
  readonly stepMessage: { readonly code: string; readonly context: Readonly<Record<string, string>> } | null;
  /** A start failed and was undone. Nothing of the revision runs, and no other fact shows the failure. */
  readonly isStartUndone: boolean;
  readonly runtimeSeenSeconds: number | null;
  /** The program's last log lines, oldest first. Empty for callers who may not read logs. */
  readonly lines: readonly string[];
  readonly now: Date;
}
export interface Verdict {
  readonly code: DiagnosisCode;
  readonly context: Record<string, string>;
  readonly event: InstanceEvent | null;
  readonly next: Diagnosis['next'];
}

/** The runtime counts as down when its holder was silent for longer. */
const silentSeconds = 15;
export const restartsOf = ({ instances, events }: Pick<DiagnosisFacts, 'instances' | 'events'>): number =>
  Math.max(0, ...instances.map(({ restarts }) => restarts), ...events.filter(({ type }) => type === 'error').map(({ count }) => count));

const needsWords = (facts: DiagnosisFacts): boolean => {
  if (facts.status === 'FAILING' || facts.status === 'UNKNOWN' || facts.isStartUndone) return true;
  return facts.status === 'PENDING' && facts.replicasWanted > 0 && waitedSeconds(facts) > patienceSeconds(facts.spec);
};
const waitedSeconds = ({ events, createdAt, now }: DiagnosisFacts): number => {
  const first = events.filter(({ type }) => type === 'added').map(({ at }) => Date.parse(at));
  return (now.getTime() - (first.length > 0 ? Math.min(...first) : createdAt.getTime())) / 1000;
};
const patienceSeconds = ({ template }: ServiceSpec): number => {
  const { initialDelaySeconds, periodSeconds, successThreshold } = template.healthCheck.config;
  return slowStartSeconds + initialDelaySeconds + periodSeconds * successThreshold;
};

const exitOf = ({ instances, stepMessage }: DiagnosisFacts, event: InstanceEvent): string => {
  const exit = instances.find(({ lastExit }) => lastExit)?.lastExit;
  if (exit) return exitText(exit);
  const { exitCode, signal } = event.context ?? {};
  const code = exitCode === undefined ? null : Number(exitCode);
  const reported = { code, signal: signal === undefined ? null : String(signal), reason: 'for an unknown reason' };
  return stepMessage?.context['exit'] ?? exitText(reported);
};

const isDiskFull = (text: string): boolean => /ENOSPC|no space left on device/i.test(text);

const ofPort = ({ spec }: DiagnosisFacts, event: InstanceEvent): Verdict => {
  const context = { listens: String(event.context?.['listens'] ?? 'another'), port: String(spec.exposedPort ?? '') };
  if (event.reason === 'IgnoresPort') return verdict('IgnoresPort', context, event, 'logs');
  return verdict('WrongPort', context, event, 'settings', 'network');
};

const verdict = (
  code: DiagnosisCode,
  context: Record<string, string>,
  event: InstanceEvent | null,
  place: Diagnosis['next']['place'],
  target: string | null = null,
): Verdict => ({ code, context, event, next: { place, target } });

/** Diagnoses an instance that exited or could not start. */
const ofEnd = (facts: DiagnosisFacts, event: InstanceEvent): Verdict => {
  if (event.reason === 'MountRefused') return verdict('MountRefused', { reason: eventCause(event) }, event, 'settings', 'volumes');
  if (event.reason === 'WorkingDirectoryRefused') return verdict('WorkingDirectoryRefused', { reason: eventCause(event) }, event, 'deploy');
  if (event.reason === 'StartFailed') return verdict('CannotStart', { reason: eventDetail(event) }, event, 'none');
  return verdict('CrashLoop', { exit: exitOf(facts, event), restarts: String(restartsOf(facts)) }, event, 'logs');
};

/** Finds the newest event that has one of the codes. */
type Find = (...codes: InstanceEventCode[]) => InstanceEvent | undefined;

const isAnswer = ({ context }: InstanceEvent): boolean => context?.['probe'] === 'Status' || context?.['probe'] === 'NoAnswer';
const isOfPort = ({ reason }: InstanceEvent): boolean => reason === 'WrongPort' || reason === 'IgnoresPort';
/** Returns whether the problem is over: the instance became healthy later, or answered on the right port. */
const isOver = ({ events }: DiagnosisFacts, old: InstanceEvent): boolean =>
  events.some(
    (event) =>
      event.instance === old.instance && event.lastAt > old.lastAt && (event.reason === 'Healthy' || (isOfPort(old) && isAnswer(event))),
  );

/** Picks the most informative event: a full disk makes programs crash, a wrong port makes probes fail. */
const fromEvents = (facts: DiagnosisFacts): Verdict | undefined => {
  const events = facts.events.filter((event) => !isOver(facts, event));
  const find: Find = (...codes) => events.find(({ reason }) => codes.some((code) => code === reason));
  const { spec, image } = facts;
  const unreadable = find('SpecUnreadable');
  if (unreadable && facts.status === 'UNKNOWN') return verdict('SpecUnreadable', {}, unreadable, 'deploy');
  const secret = find('SecretUnreadable');
  if (secret) return verdict('SecretUnreadable', {}, secret, 'secrets');
  const platformDisk = find('PlatformDiskFull');
  if (platformDisk) return verdict('PlatformDiskFull', {}, platformDisk, 'none');
  const pull = find('ImagePullFailed', 'RegistryUnavailable');
  if (pull) return verdict('ImagePullFailed', { reason: eventDetail(pull), image }, pull, 'registry');
  const disk = find('DiskFull');
  if (disk || facts.lines.some(isDiskFull)) return verdict('DiskFull', {}, disk ?? find('Exited') ?? null, 'logs');
  const memory = find('OOMKilled');
  if (memory) return verdict('OutOfMemory', { limit: String(spec.resources.memoryMegabytes) }, memory, 'settings', 'resources');
  const port = find('WrongPort', 'IgnoresPort');
  if (port) return ofPort(facts, port);
  const ended = find('Exited', 'StartFailed', 'MountRefused', 'WorkingDirectoryRefused');
  return ended ? ofEnd(facts, ended) : fromProbes(find);
};

const fromProbes = (find: Find): Verdict | undefined => {
  const never = find('StartupTimeout', 'NotHealthyYet');
  if (never) return verdict('NotHealthy', { reason: eventDetail(never) }, never, 'settings', 'health');
  const probe = find('ProbeFailed', 'Unhealthy');
  if (probe) return verdict('ProbeFailed', { reason: eventCause(probe), at: probe.lastAt }, probe, 'logs');
  return undefined;
};

const fromStep = ({ stepMessage, spec, image }: DiagnosisFacts): Verdict | undefined => {
  if (!stepMessage) return undefined;
  const { code, context } = stepMessage;
  const known: Readonly<Record<string, () => Verdict>> = {
    CrashLoop: () => verdict('CrashLoop', { exit: context['exit'] ?? '', restarts: '1' }, null, 'logs'),
    OutOfMemory: () => verdict('OutOfMemory', { limit: String(spec.resources.memoryMegabytes) }, null, 'settings', 'resources'),
    NotHealthy: () => verdict('NotHealthy', { reason: context['reason'] ?? '' }, null, 'settings', 'health'),
    ImagePullFailed: () => verdict('ImagePullFailed', { reason: context['reason'] ?? '', image }, null, 'registry'),
    ImageDoesNotExist: () => verdict('ImageMissing', { image }, null, 'deploy'),
    MountRefused: () => verdict('MountRefused', { reason: context['reason'] ?? '' }, null, 'settings', 'volumes'),
    WorkingDirectoryRefused: () => verdict('WorkingDirectoryRefused', { reason: context['reason'] ?? '' }, null, 'deploy'),
    SecretUnreadable: () => verdict('SecretUnreadable', {}, null, 'secrets'),
  };
  return Object.hasOwn(known, code) ? known[code]?.() : undefined;
};

/** Returns undefined if the revision is healthy or is starting within its time limit. */
export const diagnose = (facts: DiagnosisFacts): Verdict | undefined => {
  const isSilent = facts.runtimeSeenSeconds === null || facts.runtimeSeenSeconds > silentSeconds;
  if (facts.replicasWanted > 0 && isSilent) return verdict('RuntimeDown', {}, null, 'none');
  if (!needsWords(facts)) return undefined;
  const reported = fromEvents(facts) ?? fromStep(facts);
  if (reported) return reported;
  if (facts.status === 'PENDING')
    return verdict('StartsSlowly', { seconds: String(Math.round(waitedSeconds(facts))) }, facts.events[0] ?? null, 'logs');
  return verdict('Unknown', {}, facts.events[0] ?? null, 'logs');
};
