/** Waits until a revision's instances are healthy, and fails with the reason if they cannot become healthy. */
import { eventCause, eventDetail, eventSentence, exitText } from '@slipway/contract/service/instance-event-texts.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { noSpace, PLATFORM_DISK_FULL } from '#kernel/no-space.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Runtime } from '#ports/runtime.ts';
import { maskSecrets, type OpenSecrets } from '../diagnosis/mask-secrets.ts';
import { ProbeLog, probeText } from './probe-log.ts';
import type { Observed } from './rollout.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { waitForRevision } from './wait.ts';

/** In addition to the time that the probes need. */
const usualPatienceSeconds = 60;
/** An instance that exits again after its first restart, without being healthy in between, is in a crash loop. */
const crashLoopRestarts = 1;
/** Grace period for programs that open another port first. */
const wrongPortSeconds = 4;

/** Failed pulls before giving up. Excludes pulls that failed because the registry is unavailable. */
const pullTries = 2;

/** Ignores events of earlier runs. The margin covers instances that started just before the wait. */
const MARGIN_MS = 1000;

interface Engines {
  readonly db: Db;
  readonly runtime: Runtime;
  readonly secrets: OpenSecrets;
  /** Defaults to `usualPatienceSeconds`. */
  readonly patienceSeconds?: number;
}
interface Starting {
  readonly key: ServiceKey;
  readonly spec: ServiceSpec;
  readonly since: Date;
}
interface Waiting {
  readonly signal: AbortSignal;
  /** Set for runs whose wait a user can end early. */
  readonly runId?: string;
  log(line: string, level?: 'WARNING' | 'ERROR'): void;
}

const deadlineSeconds = (spec: ServiceSpec, patienceSeconds: number): number => {
  const { initialDelaySeconds, periodSeconds, successThreshold, timeoutSeconds } = spec.template.healthCheck.config;
  return patienceSeconds + initialDelaySeconds + periodSeconds * successThreshold + timeoutSeconds;
};

/** Returns the program's last error line, or its last line. */
const lastLine = async ({ db, runtime, secrets }: Engines, { key, since }: Starting, { id, name: revision }: Observed): Promise<string> => {
  const lines: string[] = [];
  for await (const { at, line } of runtime.logs({ ...key, revision }, { tailLines: 20 }))
    if (at >= since && line.trim()) lines.push(line.trim());
  // A stack trace has its message above the frames.
  const reported = lines.findLast((line) => /error|exception|fatal/i.test(line) && !line.startsWith('at ')) ?? lines.at(-1);
  if (!reported) return 'It said nothing.';
  try {
    return `It said: ${(await maskSecrets(db, secrets, key, id, reported)).slice(0, 300)}`;
  } catch {
    // An unmasked line could reveal a secret.
    return 'Its log says why.';
  }
};

/** Returns a failure that further waiting cannot fix, if there is one. */
const hopeless = async (engines: Engines, starting: Starting, seen: Observed): Promise<StepFailure | undefined> => {
  const { diagnosis } = seen;
  const { spec } = starting;
  const crashed = seen.instances.find((item) => item.state === 'CRASHED' && item.restarts >= crashLoopRestarts && item.lastExit);
  if (crashed?.lastExit?.reason === 'OOMKilled') return new StepFailure('OutOfMemory', { limit: String(spec.resources.memoryMegabytes) });
  if (crashed) {
    return new StepFailure('CrashLoop', {
      exit: crashed.lastExit ? exitText(crashed.lastExit) : 'unknown',
      lastLine: await lastLine(engines, starting, seen),
    });
  }
  return diagnosis ? ofEvent(diagnosis) : undefined;
};

const ofEvent = (event: NonNullable<Observed['diagnosis']>): StepFailure | undefined => {
  switch (event.reason) {
    case 'WrongPort':
    case 'IgnoresPort':
      return event.seconds >= wrongPortSeconds ? new StepFailure('WrongPort', { reason: eventSentence(event) }) : undefined;
    // The pipeline reports this and retries indefinitely.
    case 'RegistryUnavailable':
      throw new PortFailure('unavailable', eventSentence(event), { context: { engine: 'registry' } });
    case PLATFORM_DISK_FULL:
      throw noSpace(eventSentence(event));
    case 'SecretUnreadable':
      return new StepFailure('SecretUnreadable');
    case 'MountRefused':
    case 'WorkingDirectoryRefused':
      return new StepFailure(event.reason, { reason: eventCause(event) });
    case 'ImagePullFailed':
      return event.count >= pullTries ? new StepFailure('ImagePullFailed', { reason: eventDetail(event) }) : undefined;
    default:
      return undefined;
  }
};

/** `GET /healthz returned 404, 210 times in 63 s`. */
const probesSeen = ({ diagnosis }: Observed, seconds: number): string => {
  if (!diagnosis) return `no answer within ${seconds} s`;
  const { count, spanSeconds } = diagnosis;
  const cause = probeText(diagnosis);
  return count < 2 ? cause : `${cause}, ${count} times in ${Math.max(1, Math.round(spanSeconds))} s`;
};

/** Returns whether a user asked to stop waiting. */
const isToStop = async (db: Db, { runId, log }: Waiting): Promise<boolean> => {
  if (runId === undefined) return false;
  const run = await db.selectFrom('pipeline_run').select('stop_waiting_at').where('run_id', '=', runId).executeTakeFirst();
  if (!run?.stop_waiting_at) return false;
  log('Stopped before the time was over', 'WARNING');
  return true;
};

export const startInstances = async (
  engines: Engines,
  waiting: Waiting,
  { key, id, spec }: { key: ServiceKey; id: string; spec: ServiceSpec },
): Promise<void> => {
  const seconds = deadlineSeconds(spec, engines.patienceSeconds ?? usualPatienceSeconds);
  const deadline = Date.now() + seconds * 1000;
  const since = new Date(Date.now() - MARGIN_MS);
  let reported = '';
  const probes = new ProbeLog(waiting.log.bind(waiting));
  const startedAt = Date.now();
  /** Number of the instances that are stopped, and how long they had. */
  const ended = (seen: Observed) => ({ seconds: String(Math.round((Date.now() - startedAt) / 1000)), instances: String(seen.wanted) });
  const check = async (seen: Observed): Promise<true | undefined> => {
    const now = seen.instances
      .map((item) => `${item.id} ${item.state.toLowerCase()}${item.restarts > 0 ? `, ${item.restarts} restarts` : ''}`)
      .join('; ');
    if (now && now !== reported) waiting.log((reported = now));
    probes.see(seen.diagnosis);
    if (seen.status === 'HEALTHY' || seen.wanted === 0) return true;
    const failure = await hopeless(engines, { key, spec, since }, seen);
    if (failure) throw new StepFailure(failure.code, { ...failure.context, ...ended(seen) });
    if (Date.now() > deadline || (await isToStop(engines.db, waiting))) {
      throw new StepFailure('NotHealthy', { ...ended(seen), reason: probesSeen(seen, seconds) });
    }
    return undefined;
  };
  try {
    await waitForRevision(engines.db, id, waiting.signal, check, since);
  } finally {
    probes.end();
  }
};
