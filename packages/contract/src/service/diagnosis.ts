/** Why a revision is unhealthy: one sentence, the evidence, and the next step (issue "Why is it failing?"). */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { fill } from '../kernel/errors.ts';
import { route } from '../kernel/kernel.ts';
import { InstanceEvent } from './revision.ts';

export const diagnosisCodes = [
  'CrashLoop',
  'MountRefused',
  'WorkingDirectoryRefused',
  'CannotStart',
  'WrongPort',
  'IgnoresPort',
  'OutOfMemory',
  'ImagePullFailed',
  'ImageMissing',
  'NotHealthy',
  'DiskFull',
  'PlatformDiskFull',
  'SecretUnreadable',
  'SpecUnreadable',
  'StartsSlowly',
  'RuntimeDown',
  'ProbeFailed',
  'Unknown',
] as const;
export type DiagnosisCode = (typeof diagnosisCodes)[number];
/** Place for the user's next step. */
export const diagnosisPlaces = ['settings', 'logs', 'pipeline', 'secrets', 'registry', 'deploy', 'none'] as const;

export const Diagnosis = z.object({
  code: z.enum(diagnosisCodes),
  context: z.record(z.string(), z.string()),
  since: Instant,
  evidence: z.object({
    /** The most relevant event. */
    event: z.nullable(InstanceEvent),
    exit: z.nullable(z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()), reason: z.string(), at: Instant })),
    restarts: z.number(),
    /** The program's last output; for members only. */
    lastLines: z.array(z.object({ at: Instant, instance: z.string(), line: z.string(), number: z.number() })),
  }),
  next: z.object({
    place: z.enum(diagnosisPlaces),
    /** The settings section, pipeline id or secret group. */
    target: z.nullable(z.string()),
  }),
  /** The revision that still serves, so doing nothing is safe. */
  stillServing: z.nullable(z.string()),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

/** `past` replaces the sentence when no instance of the revision runs anymore. */
export const diagnosisTexts: Readonly<Record<DiagnosisCode, { readonly sentence: string; readonly past?: string; readonly next: string }>> =
  {
    CrashLoop: {
      sentence: 'The program exits right after it starts: {exit}, {restarts} times so far.',
      past: 'The program exited right after it started: {exit}, {restarts} times.',
      next: 'Read the last lines of its log, fix the cause, and deploy again.',
    },
    MountRefused: {
      sentence: '{reason}',
      next: 'Give the file volume another path, or take the link out of the image.',
    },
    WorkingDirectoryRefused: {
      sentence: '{reason}',
      next: 'Give the image a working directory of its own (WORKDIR), and deploy it again.',
    },
    CannotStart: {
      sentence: 'An instance cannot be started: {reason}',
      next: 'Look at its events; an administrator finds more in the log of the platform.',
    },
    WrongPort: {
      sentence: 'The container listens on port {listens}, but the service is set to port {port}.',
      past: 'The container listened on port {listens}, but the service is set to port {port}.',
      next: 'Set the exposed port to {listens}, or let the program listen on the port in PORT.',
    },
    IgnoresPort: {
      sentence: 'The container always listens on port {listens}, but here every instance gets a port of its own.',
      next: 'Let the program listen on the port that the environment variable PORT names.',
    },
    OutOfMemory: {
      sentence: 'It was stopped for using more than its {limit} MB of memory.',
      next: 'Give it more memory, or let it use less.',
    },
    ImagePullFailed: { sentence: 'The image could not be pulled: {reason}', next: 'Look at the registry, then deploy again.' },
    ImageMissing: { sentence: 'The image {image} is not in the registry any more.', next: 'Push it again, or deploy another tag.' },
    NotHealthy: {
      sentence: 'Running, but failing its health check: {reason}',
      past: 'Health check failed: {reason}',
      next: 'Check the path, port and times of the health check.',
    },
    DiskFull: {
      sentence: 'It cannot write any more: its disk is full.',
      next: 'Let it write less to its own disk, or clean up; what must be kept belongs into a database.',
    },
    PlatformDiskFull: {
      sentence: 'The disk of the platform is nearly full, so that its image cannot be unpacked.',
      next: 'Tell your operators. It goes on by itself when space has been freed.',
    },
    SpecUnreadable: {
      sentence: 'Its stored settings cannot be read, so the platform changes nothing of it.',
      next: 'Tell your operators. Or deploy again: a new revision gets settings of its own.',
    },
    SecretUnreadable: { sentence: 'A secret that it needs cannot be read.', next: 'Restore the secret group, or set it anew.' },
    StartsSlowly: {
      sentence: 'It has been starting for {seconds} s, longer than usual.',
      next: 'Follow its log; if it needs that long, raise the initial delay of the health check.',
    },
    RuntimeDown: {
      sentence: 'No replica of the platform drives the runtime at the moment.',
      next: 'Nothing to do: it goes on by itself when the runtime is back.',
    },
    ProbeFailed: { sentence: 'An instance does not answer its health check any more: {reason}', next: 'Look at its log around {at}.' },
    Unknown: { sentence: 'It is not well, and the platform does not know why.', next: 'Look at its events and its log.' },
  };
export const diagnosisSentence = ({ code, context }: Pick<Diagnosis, 'code' | 'context'>, isOver = false): string => {
  const { sentence, past = sentence } = diagnosisTexts[code];
  return fill(isOver ? past : sentence, context);
};
export const nextStepOf = ({ code, context }: Pick<Diagnosis, 'code' | 'context'>): string => fill(diagnosisTexts[code].next, context);

/** A revision that stays PENDING for longer than this plus the time for its probes counts as slow to start. */
export const slowStartSeconds = 30;

const one = '/api/v1/apps/{app}/{env}/services/{service}';
export const revisionDiagnosis = route('revisionDiagnosis', `GET ${one}/revisions/{revision}/diagnosis`, {
  summary: 'Why a revision is failing or too long in coming; null while all is well',
  tag: 'Revisions',
  access: 'signedIn',
  response: z.object({ diagnosis: z.nullable(Diagnosis) }),
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist', 'RevisionDoesNotExist'],
});

export const RevisionSourceChanges = z.object({
  /** Newest first, at most 20. */
  commits: z.array(z.object({ sha: z.string(), message: z.string(), author: z.string(), at: Instant })),
  commitCount: z.number(),
  /** The first 100. Line counts are null for binary files. */
  files: z.array(z.object({ path: z.string(), added: z.nullable(z.number()), removed: z.nullable(z.number()) })),
  /** A unified diff, at most 64 KB. */
  patch: z.string(),
  /** True if `files` or `patch` are truncated. */
  isCut: z.boolean(),
});
export type RevisionSourceChanges = z.infer<typeof RevisionSourceChanges>;

export const revisionSourceChanges = route('revisionSourceChanges', `GET ${one}/revisions/{revision}/source-changes`, {
  summary: 'Commits between the sources of two revisions; null if the repository does not have both',
  tag: 'Revisions',
  access: 'appMemberHidden',
  /** The revision to compare with. */
  query: z.object({ since: z.string() }),
  response: z.object({ changes: z.nullable(RevisionSourceChanges) }),
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'ServiceDoesNotExist', 'RevisionDoesNotExist', 'Required'],
});
