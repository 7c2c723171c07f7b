/** Watches one run of an instance: tries its health check over and over and reports what follows from the answers. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { instanceEvent, type InstanceEventFacts, type ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import type { SandboxedProcess } from '#adapters/sandbox/sandbox.ts';
import type { RevisionSpec } from '#ports/runtime.ts';
import { HealthCounter } from './health-counter.ts';
import { listeningPorts } from '../instance/listeners.ts';
import { probe, probeTcp, type ProbeResult } from './probe.ts';
import type { Timings } from '../timings.ts';

export interface HealthReports {
  ready(afterMs: number): void;
  unready(event: InstanceEventFacts): void;
  /** A warning that changes nothing yet. */
  warn(event: InstanceEventFacts): void;
  /** The run must end. */
  dead(event: InstanceEventFacts): void;
}

interface Plan {
  readonly initialDelayMs: number;
  /** Between two tries once it has succeeded for the first time. */
  readonly periodMs: number;
  /** Until then: a program is usually up long before a whole period is over. */
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
/** So many equal answers in a row are reported before a start counts as late. */
const TELLING_ANSWERS = 5;
const REPORT_EVERY_MS = 1000;
/** Answers that change with every try: the oldest are not reported. */
const MAX_UNREPORTED = 8;

export class HealthWatch {
  readonly #spec: RevisionSpec;
  readonly #process: SandboxedProcess;
  readonly #port: number | undefined;
  readonly #timings: Timings;
  readonly #reports: HealthReports;
  readonly #startedAt = performance.now();
  #hasSucceeded = false;
  #wasReady = false;
  /** When a wrong port is reported next: again and again, ever more seldom, for as long as it stays wrong. */
  #nextPortReportMs: number;
  readonly #unreported: { failure: ProbeFailure; times: number; sinceMs: number }[] = [];
  #nextFailureReportMs = 0;

  constructor(spec: RevisionSpec, process: SandboxedProcess, port: number | undefined, timings: Timings, reports: HealthReports) {
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
      const verdict = counter.record(failure === undefined);
      if (verdict === 'ready' && !this.#becomeReady()) return;
      const { failures } = counter;
      if (failure && verdict === 'unready') this.#reports.unready(instanceEvent('ProbeFailed', { ...failure, failures }));
      if (failure && verdict === 'dead') return this.#reports.dead(instanceEvent('Unhealthy', { ...failure, failures }));
      if (failure !== undefined && !this.#wasReady && this.#isLate(plan, failure)) return;
      await delay(this.#hasSucceeded ? plan.periodMs : plan.eagerMs, undefined, { signal });
    }
  }

  /** False when somebody else answers on the port: where services share the machine's network, one could sit on another's port. */
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

  /** True when a start has taken too long and was given up. Until then reports what the tries see, and how often. */
  #isLate(plan: Plan, failure: ProbeFailure): boolean {
    const overMs = this.#elapsedMs() - plan.initialDelayMs;
    if (overMs >= this.#timings.startupMs) {
      this.#reports.dead(instanceEvent('StartupTimeout', { ...failure, afterSeconds: Math.round(overMs / 1000) }));
      return true;
    }
    if (this.#elapsedMs() >= this.#nextPortReportMs) this.#reportPort();
    this.#count(failure);
    const isLate = overMs >= plan.failureThreshold * plan.periodMs;
    if (isLate || this.#equalAnswers() >= TELLING_ANSWERS) this.#reportFailures();
    return false;
  }

  #count(failure: ProbeFailure): void {
    const last = this.#unreported.at(-1);
    if (last && isDeepStrictEqual(last.failure, failure)) last.times++;
    else this.#unreported.push({ failure, times: 1, sinceMs: this.#elapsedMs() });
    if (this.#unreported.length > MAX_UNREPORTED) this.#unreported.shift();
  }

  /** Refused connections are no answer: a program that is still starting refuses them, too. */
  #equalAnswers(): number {
    const last = this.#unreported.at(-1);
    return last?.failure.probe === 'Status' ? last.times : 0;
  }

  /** Oldest first, so that the newest report is what the last try saw. */
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
