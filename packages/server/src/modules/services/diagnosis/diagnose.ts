/** Why a revision is failing, judged from what was observed: pure, so that every kind of diagnosis can be tested with rows alone. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Instance, InstanceEvent, RevisionStatus } from '@slipway/contract/service/revision.ts';
import { slowStartSeconds, type Diagnosis, type DiagnosisCode } from '@slipway/contract/service/diagnosis.ts';

export interface DiagnosisFacts {
  readonly status: RevisionStatus;
  readonly replicasWanted: number;
  readonly createdAt: Date;
  readonly spec: ServiceSpec;
  readonly image: string;
  readonly instances: readonly Instance[];
  /** Newest first. */
  readonly events: readonly InstanceEvent[];
  /** What the pipeline that made it, or started it last, ended with. */
  readonly stepMessage: { readonly code: string; readonly context: Readonly<Record<string, string>> } | null;
  /** It was to start, and was stopped again since it did not: nothing of it runs, and nothing else tells of it. */
  readonly isStartUndone: boolean;
  readonly runtimeSeenSeconds: number | null;
  /** What the program wrote last, oldest first; empty for those who may not read it. */
  readonly lines: readonly string[];
  readonly now: Date;
}
export interface Verdict {
  readonly code: DiagnosisCode;
  readonly context: Record<string, string>;
  readonly event: InstanceEvent | null;
  readonly next: Diagnosis['next'];
}

/** Nobody has driven the runtime for so long. */
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

const exitWords = (facts: DiagnosisFacts, event: InstanceEvent | null): string => {
  const exit = facts.instances.find(({ lastExit }) => lastExit)?.lastExit;
  if (exit) return exit.signal ? `signal ${exit.signal}` : exit.code === null ? exit.reason : `exit code ${exit.code}`;
  return facts.stepMessage?.context['exit'] ?? /exit code \d+|SIG[A-Z]+/.exec(event?.message ?? '')?.[0] ?? 'for an unknown reason';
};

const isDiskFull = (text: string): boolean => /ENOSPC|no space left on device/i.test(text);
const without = (message: string): string => message.replace(/; restart \d+ in .*$/, '').replace(/\.$/, '');

const wrongPort = (facts: DiagnosisFacts, event: InstanceEvent): Verdict => {
  const listens = /listens on ports? ([\d, ]+\d)/.exec(event.message)?.[1] ?? 'another';
  const port = String(facts.spec.exposedPort ?? '');
  const isIgnored = listens.split(', ').includes(port);
  return verdict(
    isIgnored ? 'IgnoresPort' : 'WrongPort',
    { listens, port },
    event,
    isIgnored ? 'logs' : 'settings',
    isIgnored ? null : 'network',
  );
};

const verdict = (
  code: DiagnosisCode,
  context: Record<string, string>,
  event: InstanceEvent | null,
  place: Diagnosis['next']['place'],
  target: string | null = null,
): Verdict => ({ code, context, event, next: { place, target } });

/** The sandbox refuses what leads out of the service's own files, by itself or by a link of the image. */
export const refusedMount = (message: string): string | undefined =>
  message.startsWith('Nothing can be mounted at ') ? without(message) : undefined;
const cannotStart = (event: InstanceEvent): Verdict => {
  const mount = refusedMount(event.message);
  if (mount !== undefined) return verdict('MountRefused', { reason: mount }, event, 'settings', 'volumes');
  return verdict('CannotStart', { reason: without(event.message).replace(/^It could not be started: /, '') }, event, 'none');
};

/** By what tells most: a full disk makes programs crash, a wrong port makes probes fail. */
const fromEvents = (facts: DiagnosisFacts): Verdict | undefined => {
  const find = (...reasons: string[]): InstanceEvent | undefined => facts.events.find(({ reason }) => reasons.includes(reason));
  const { spec, image } = facts;
  const secret = find('SecretUnreadable');
  if (secret) return verdict('SecretUnreadable', {}, secret, 'secrets');
  const platformDisk = find('PlatformDiskFull');
  if (platformDisk) return verdict('PlatformDiskFull', {}, platformDisk, 'none');
  const pull = find('ImagePullFailed', 'RegistryUnavailable');
  if (pull)
    return verdict(
      'ImagePullFailed',
      { reason: without(pull.message).replace(/^The image could not be pulled: /, ''), image },
      pull,
      'registry',
    );
  const disk = find('DiskFull');
  if (disk || facts.lines.some(isDiskFull)) return verdict('DiskFull', {}, disk ?? find('Exited') ?? null, 'logs');
  const memory = find('OOMKilled');
  if (memory) return verdict('OutOfMemory', { limit: String(spec.resources.memoryMegabytes) }, memory, 'settings', 'resources');
  const port = find('WrongPort');
  if (port) return wrongPort(facts, port);
  const exited = find('Exited', 'StartFailed');
  if (exited?.reason === 'StartFailed') return cannotStart(exited);
  if (exited) return verdict('CrashLoop', { exit: exitWords(facts, exited), restarts: String(restartsOf(facts)) }, exited, 'logs');
  return fromProbes(find);
};

const fromProbes = (find: (...reasons: string[]) => InstanceEvent | undefined): Verdict | undefined => {
  const never = find('StartupTimeout', 'NotHealthyYet');
  if (never)
    return verdict(
      'NotHealthy',
      { reason: /\((.+?)\)/.exec(never.message)?.[1] ?? without(never.message.replace(/^Not healthy yet: /, '')) },
      never,
      'settings',
      'health',
    );
  const probe = find('ProbeFailed', 'Unhealthy');
  if (probe) return verdict('ProbeFailed', { reason: without(probe.message), at: probe.lastAt }, probe, 'logs');
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
    SecretUnreadable: () => verdict('SecretUnreadable', {}, null, 'secrets'),
  };
  return Object.hasOwn(known, code) ? known[code]?.() : undefined;
};

/** Undefined while all is well, and while a start takes no longer than it may. */
export const diagnose = (facts: DiagnosisFacts): Verdict | undefined => {
  const isSilent = facts.runtimeSeenSeconds === null || facts.runtimeSeenSeconds > silentSeconds;
  if (facts.replicasWanted > 0 && isSilent) return verdict('RuntimeDown', {}, null, 'none');
  if (!needsWords(facts)) return undefined;
  const told = fromEvents(facts) ?? fromStep(facts);
  if (told) return told;
  if (facts.status === 'PENDING')
    return verdict('StartsSlowly', { seconds: String(Math.round(waitedSeconds(facts))) }, facts.events[0] ?? null, 'logs');
  return verdict('Unknown', {}, facts.events[0] ?? null, 'logs');
};
