/** Watches one run of an instance: probes its health check repeatedly and reports the outcome. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { instanceEvent, type InstanceEventFacts, type ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { HealthCounter } from './health-counter.ts';
import { listeningPorts } from '../instance/listeners.ts';
import { probe, probeTcp, type ProbedProcess, type ProbeResult } from './probe.ts';
import type { Timings } from '../timings.ts';

export interface HealthReports {
  ready(afterMs: number): void;
  unready(event: InstanceEventFacts): void;
  /** Reports a warning without a state change. */
  warn(event: InstanceEventFacts): void;
  /** Reports that the run must end. */
  dead(event: InstanceEventFacts): void;
}

interface Plan {
  readonly initialDelayMs: number;
  /** Interval between probes after the first success. */
  readonly periodMs: number;
  /** Interval until the first success: a program is usually up long before a whole period is over. */
  readonly eagerMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly attempt: () => Promise<ProbeResult>;
}

const DEFAULT_FAILURES = 3;
const DEFAULT_PERIOD_MS = 10_000;
const EAGER_MS = 200;
/** Commands cost more than connections. */
const EAGER_EXEC_MS = 1000;
const DEFAULT_TIMEOUT_MS = 1000;
/** Number of equal results in a row after which a late start is reported. */
const TELLING_RESULTS = 5;
const REPORT_EVERY_MS = 1000;
/** Limits responses that change with every probe: the oldest are not reported. */
const MAX_UNREPORTED = 8;

type Checked = Pick<RevisionSpec, 'health' | 'exposedPort'>;

export class HealthWatch {
  readonly #spec: Checked;
  readonly #process: ProbedProcess;
  readonly #port: number | undefined;
  readonly #timings: Timings;
  readonly #reports: HealthReports;
  readonly #startedAt = performance.now();
  #hasSucceeded = false;
  #wasReady = false;
  /** Time of the next report of a wrong port. The interval grows for as long as the port stays wrong. */
  #nextPortReportMs: number;
  readonly #unreported: { failure: ProbeFailure; times: number; sinceMs: number }[] = [];
  #nextFailureReportMs = 0;
  #lastFailure: ProbeFailure | undefined;
  /** Time of the first of the equal failures at the end. Reports do not reset it. */
  #sameSinceMs = 0;

  constructor(spec: Checked, process: ProbedProcess, port: number | undefined, timings: Timings, reports: HealthReports) {
    this.#spec = spec;
    this.#process = process;
    this.#port = port;
    this.#timings = timings;
    this.#reports = reports;
    this.#nextPortReportMs = timings.wrongPortMs;
  }

  /** Ends when the signal aborts or the run is reported dead. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      if (this.#spec.health === undefined && this.#spec.exposedPort === undefined) return await this.#waitUntilAlive(signal);
      await this.#watch(this.#plan(), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #waitUntilAlive(signal: AbortSignal): Promise<void> {
    await delay(this.#timings.aliveMs, undefined, { signal });
    this.#reports.ready(this.#elapsedMs());
  }

  #plan(): Plan {
    const { health } = this.#spec;
    if (!health) {
      return {
        initialDelayMs: 0,
        periodMs: DEFAULT_PERIOD_MS,
        eagerMs: EAGER_MS,
        successThreshold: 1,
        failureThreshold: DEFAULT_FAILURES,
        attempt: () => probeTcp(() => this.#process.connect(this.#port ?? 0), DEFAULT_TIMEOUT_MS),
      };
    }
    return {
      initialDelayMs: health.initialDelaySeconds * 1000,
      periodMs: health.periodSeconds * 1000,
      eagerMs: Math.min(health.periodSeconds * 1000, health.type === 'exec' ? EAGER_EXEC_MS : EAGER_MS),
      successThreshold: health.successThreshold,
      failureThreshold: health.failureThreshold,
      attempt: () => probe(health, this.#process, this.#port),
    };
  }

  async #watch(plan: Plan, signal: AbortSignal): Promise<void> {
    const counter = new HealthCounter({ ...plan, livenessFactor: this.#timings.livenessFactor });
    await delay(plan.initialDelayMs, undefined, { signal });
    while (!signal.aborted) {
      const failure = await plan.attempt();
      if (signal.aborted) return;
      this.#hasSucceeded ||= failure === undefined;
      const verdict = counter.record(failure);
      if (verdict === 'ready' && !this.#becomeReady()) return;
      const { failures } = counter;
      if (failure && verdict === 'unready') this.#reports.unready(instanceEvent('ProbeFailed', { ...failure, failures }));
      if (failure && verdict === 'dead') return this.#reports.dead(instanceEvent('Unhealthy', { ...failure, failures }));
      if (failure !== undefined && !this.#wasReady && this.#isLate(plan, failure)) return;
      await delay(this.#hasSucceeded ? plan.periodMs : plan.eagerMs, undefined, { signal });
    }
  }

  /** Returns false if another process answers on the port, which can happen when services share the machine's network. */
  #becomeReady(): boolean {
    const ports = this.#port === undefined ? undefined : listeningPorts(this.#process.processes());
    if (ports && this.#spec.health?.type !== 'exec' && !ports.includes(this.#port ?? 0)) {
      this.#reports.dead(instanceEvent('PortTaken', { port: this.#port ?? 0 }));
      return false;
    }
    this.#wasReady = true;
    this.#reports.ready(this.#elapsedMs());
    return true;
  }

  /** Returns true when a start has timed out. Until then, reports the probes' results and their counts. */
  #isLate(plan: Plan, failure: ProbeFailure): boolean {
    const overMs = this.#elapsedMs() - plan.initialDelayMs;
    if (overMs >= this.#timings.startupMs) {
      this.#reports.dead(instanceEvent('StartupTimeout', { ...failure, afterSeconds: Math.round(overMs / 1000) }));
      return true;
    }
    if (this.#elapsedMs() >= this.#nextPortReportMs) this.#reportPort();
    this.#count(failure);
    const isLate = overMs >= plan.failureThreshold * plan.periodMs;
    if (isLate || this.#isPlain()) this.#reportFailures();
    return false;
  }

  #count(failure: ProbeFailure): void {
    const last = this.#unreported.at(-1);
    if (!isDeepStrictEqual(this.#lastFailure, failure)) this.#sameSinceMs = this.#elapsedMs();
    this.#lastFailure = failure;
    if (last && isDeepStrictEqual(last.failure, failure)) last.times++;
    else this.#unreported.push({ failure, times: 1, sinceMs: this.#elapsedMs() });
    if (this.#unreported.length > MAX_UNREPORTED) this.#unreported.shift();
  }

  /** Returns whether the same result came often enough to be telling. Anything but an HTTP status must also last, as starting takes time. */
  #isPlain(): boolean {
    const last = this.#unreported.at(-1);
    if (!last || last.times < TELLING_RESULTS) return false;
    return last.failure.probe === 'Status' || this.#elapsedMs() - this.#sameSinceMs >= this.#timings.sameFailureMs;
  }

  /** Reports oldest first, so that the newest report is the last probe's result. */
  #reportFailures(): void {
    const nowMs = this.#elapsedMs();
    if (nowMs < this.#nextFailureReportMs) return;
    this.#nextFailureReportMs = nowMs + REPORT_EVERY_MS;
    for (const { failure, times, sinceMs } of this.#unreported.splice(0))
      this.#reports.warn(instanceEvent('NotHealthyYet', { ...failure, times, spanMs: Math.round(nowMs - sinceMs) }));
  }

  #reportPort(): void {
    if (this.#port === undefined) return;
    const ports = listeningPorts(this.#process.processes());
    if (ports === undefined || ports.length === 0 || ports.includes(this.#port)) return;
    this.#nextPortReportMs = this.#elapsedMs() * 2;
    const { exposedPort } = this.#spec;
    const isIgnored = exposedPort !== undefined && ports.includes(exposedPort);
    const context = { listens: ports.join(', '), port: this.#port, ...(exposedPort === undefined ? {} : { setTo: exposedPort }) };
    this.#reports.warn(instanceEvent(isIgnored ? 'IgnoresPort' : 'WrongPort', context));
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }
}
