/** The history of one pod: turns changes of its status into the platform's events, each once per run of the container. */
import { instanceEvent, type InstanceEventFacts, type ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import type { InstanceEventType } from '#ports/runtime.ts';
import { quantityOf } from '../api/covers.ts';
import {
  conditionOf,
  containerOf,
  exitOf,
  isReady,
  portOf,
  startFailureOf,
  statusOf,
  stoppedAt,
  type Pod,
  type PodNotes,
  type Terminated,
} from './pod.ts';
import type { FailedProbe } from './probe-failure.ts';

export interface LifeOptions {
  readonly emit: (type: InstanceEventType, event: InstanceEventFacts) => void;
  /** How long a start must keep failing before it is reported: starting programs refuse connections. */
  readonly sameFailureMs: number;
}

/** The event of the failed probe may come after the change of the status. */
const PROBE_EVENT_MS = 1500;
const TELL_EVERY_MS = 30_000;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
const KILLED = 137;
const PROBE_MEMORY_MS = 60_000;
/** A little less than the startup probe allows, since events are counted from the first failure. */
const STARTUP_MS = 100_000;

/** The kubelet restarts a container at once after its first end, and then ever more slowly. */
export const backoffMs = (restart: number): number =>
  restart <= 1 ? 0 : Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (restart - 2));

type SeenProbe = FailedProbe & { readonly atMs: number };

export class PodLife {
  readonly #options: LifeOptions;
  #pod: Pod;
  /** Number of the container's run, from 0. */
  #run = -1;
  #startedRun = -1;
  #endedRun = -1;
  #isReady = false;
  #wasReady = false;
  #isStartFailed = false;
  #failedStarts = 0;
  #lastReason: string | undefined;
  #lastProbe: SeenProbe | undefined;
  /** The last failure of a probe for which the kubelet restarts the container. */
  #lastFatal: SeenProbe | undefined;
  #firstFailureMs: number | undefined;
  #toldFailureMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** `isKnown`: the pod existed before this process followed it, so its past is not reported again. */
  constructor(pod: Pod, isKnown: boolean, options: LifeOptions) {
    this.#options = options;
    this.#pod = pod;
    if (!isKnown) {
      options.emit('added', instanceEvent('Scheduled', {}));
      this.update(pod);
      return;
    }
    const status = statusOf(pod);
    this.#run = status?.restartCount ?? 0;
    if (status?.state?.running || status?.state?.terminated) this.#startedRun = this.#run;
    this.#endedRun = status?.state?.terminated ? this.#run : this.#run - 1;
    this.#isReady = isReady(pod);
    this.#wasReady = this.#isReady;
    this.#isStartFailed = startFailureOf(pod) !== undefined;
    this.#failedStarts = this.#isStartFailed ? 1 : 0;
  }

  get pod(): Pod {
    return this.#pod;
  }

  get notes(): PodNotes {
    return { wasReady: this.#wasReady, lastReason: this.#lastReason, failedStarts: this.#failedStarts };
  }

  update(pod: Pod): void {
    this.#pod = pod;
    const status = statusOf(pod);
    if (!status) return;
    const run = status.restartCount;
    // The last state belongs to the run before.
    if (status.lastState?.terminated) this.#ended(status.lastState.terminated, run - 1);
    if (run !== this.#run) this.#begin(run);
    if (status.state?.running) this.#started();
    if (status.state?.terminated) {
      // A program may end before its start was seen.
      this.#started();
      this.#ended(status.state.terminated, run);
    }
    this.#checkStart(pod);
    this.#checkReady(pod);
  }

  /** Takes notice of a failed probe that the kubelet reported. */
  probeFailed(failed: FailedProbe): void {
    const nowMs = performance.now();
    this.#lastProbe = { ...failed, atMs: nowMs };
    if (failed.probe !== 'Readiness') this.#lastFatal = this.#lastProbe;
    if (this.#wasReady || this.#pod.metadata.deletionTimestamp !== undefined) return;
    this.#failures++;
    this.#firstFailureMs ??= nowMs;
    const spanMs = nowMs - this.#firstFailureMs;
    if (spanMs < this.#options.sameFailureMs || nowMs - this.#toldFailureMs < TELL_EVERY_MS) return;
    this.#toldFailureMs = nowMs;
    const times = this.#failures;
    this.#options.emit(
      'warning',
      instanceEvent('NotHealthyYet', { ...failed.failure, ...(times > 1 ? { times, spanMs: Math.round(spanMs) } : {}) }),
    );
  }

  /** The pod is gone. `last` is its last known state. */
  gone(last: Pod): void {
    this.#pod = last;
    const asked = stoppedAt(last);
    const end = statusOf(last)?.state?.terminated;
    const drainSeconds = containerOf(last)?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const graceSeconds = (last.spec.terminationGracePeriodSeconds ?? 0) - drainSeconds;
    if (asked && end?.exitCode === KILLED && end.reason !== 'OOMKilled')
      this.#options.emit('warning', instanceEvent('Killing', { graceSeconds }));
    this.#options.emit('deleted', instanceEvent('Stopped', { tookMs: asked ? Math.max(0, Date.now() - asked.getTime()) : 0 }));
  }

  #begin(run: number): void {
    this.#run = run;
    this.#isReady = false;
    this.#wasReady = false;
    this.#firstFailureMs = undefined;
    this.#toldFailureMs = Number.NEGATIVE_INFINITY;
    this.#failures = 0;
  }

  #started(): void {
    if (this.#startedRun >= this.#run) return;
    this.#startedRun = this.#run;
    const port = portOf(this.#pod);
    this.#options.emit('running', instanceEvent('Started', port === undefined ? {} : { port }));
  }

  #ended(end: Terminated, run: number): void {
    if (this.#endedRun >= run) return;
    this.#endedRun = run;
    // Instances that are asked to stop are no failures.
    if (this.#pod.metadata.deletionTimestamp !== undefined) return;
    const facts = this.#ending(end, run + 1);
    this.#lastReason = facts.code;
    this.#options.emit('error', facts);
  }

  #ending(end: Terminated, restart: number): InstanceEventFacts {
    const ranMs = end.startedAt && end.finishedAt ? Date.parse(end.finishedAt) - Date.parse(end.startedAt) : undefined;
    const ended = { restart, waitMs: backoffMs(restart), ...(ranMs === undefined ? {} : { ranMs }) };
    const limit = quantityOf(containerOf(this.#pod)?.resources?.limits?.['memory'] ?? '') ?? 0;
    if (end.reason === 'OOMKilled') return instanceEvent('OOMKilled', { limitMegabytes: Math.round(limit / 2 ** 20), ...ended });
    const probe = this.#lastFatal;
    const failures = containerOf(this.#pod)?.livenessProbe?.failureThreshold ?? 1;
    if (probe && this.#wasKilled) {
      if (probe.probe === 'Startup')
        return instanceEvent('StartupTimeout', { ...probe.failure, afterSeconds: Math.round((ranMs ?? 0) / 1000), ...ended });
      return instanceEvent('Unhealthy', { ...probe.failure, failures, ...ended });
    }
    const { code, signal } = exitOf(end);
    return instanceEvent('Exited', { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }), ...ended });
  }

  /** The kubelet kills a container after failed probes. A program that crashed while it was ready has not failed any. */
  get #wasKilled(): boolean {
    if (this.#isReady || !this.#lastFatal) return false;
    if (this.#lastFatal.probe === 'Liveness') return performance.now() - this.#lastFatal.atMs < PROBE_MEMORY_MS;
    return performance.now() - (this.#firstFailureMs ?? Number.POSITIVE_INFINITY) > STARTUP_MS;
  }

  #checkStart(pod: Pod): void {
    const failure = startFailureOf(pod);
    if (failure && !this.#isStartFailed) {
      this.#failedStarts++;
      const ended = { restart: this.#failedStarts, waitMs: backoffMs(this.#failedStarts + 1) };
      const detail = failure.message;
      this.#options.emit(
        'error',
        failure.kind === 'pull'
          ? instanceEvent('ImagePullFailed', { detail, ...ended })
          : instanceEvent('StartFailed', { obstacle: 'Other', detail, ...ended }),
      );
    }
    this.#isStartFailed = failure !== undefined;
  }

  #checkReady(pod: Pod): void {
    const ready = isReady(pod);
    if (ready === this.#isReady) return;
    this.#isReady = ready;
    if (ready) {
      this.#wasReady = true;
      this.#failedStarts = 0;
      const startedAt = statusOf(pod)?.state?.running?.startedAt;
      const readyAt = conditionOf(pod, 'Ready')?.lastTransitionTime;
      const afterMs = startedAt && readyAt ? Math.max(0, Date.parse(readyAt) - Date.parse(startedAt)) : 0;
      this.#options.emit('running', instanceEvent('Healthy', { afterMs }));
      return;
    }
    // Not a failed probe: the container has ended, or the pod is asked to stop.
    if (!statusOf(pod)?.state?.running || pod.metadata.deletionTimestamp !== undefined) return;
    const run = this.#run;
    const failures = containerOf(pod)?.readinessProbe?.failureThreshold ?? 1;
    const tell = (): void => {
      if (this.#run !== run || this.#isReady) return;
      const failure: ProbeFailure = this.#lastProbe?.failure ?? { probe: 'Other', detail: 'the pod is not ready' };
      this.#options.emit('unhealthy', instanceEvent('ProbeFailed', { ...failure, failures }));
    };
    const isRecent = this.#lastProbe !== undefined && performance.now() - this.#lastProbe.atMs < PROBE_EVENT_MS;
    if (isRecent) tell();
    else setTimeout(tell, PROBE_EVENT_MS).unref();
  }
}
