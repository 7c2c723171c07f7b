/** Timings of the embedded runtime. They match Kubernetes where it has an equivalent; tests shorten them. */
export interface Timings {
  /** Delay between removal from the edge and SIGTERM, so that requests in flight still arrive. */
  readonly drainMs: number;
  /** Time after the drain for finishing accepted requests before SIGTERM, because most programs exit on SIGTERM immediately. */
  readonly answerMs: number;
  /** Delay before the first restart. The second waits `backoffMs`; each further restart waits twice as long, at most `backoffMaxMs`. */
  readonly firstRestartMs: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** A run of this length resets the backoff. */
  readonly backoffResetMs: number;
  /** An instance that was healthy is restarted after this many times the health check's failure threshold. */
  readonly livenessFactor: number;
  /** Time after the initial delay in which an instance must become healthy before it is restarted. */
  readonly startupMs: number;
  /** How long a worker without port and health check must live to count as ready. */
  readonly aliveMs: number;
  /** Delay before a wrong port is reported, since programs may open other ports first. Doubles with each report. */
  readonly wrongPortMs: number;
  /** How long a start must keep failing the same way before it is reported, unless it answers: starting programs refuse connections. */
  readonly sameFailureMs: number;
  /** How long to wait for the ingress port while the previous holder shuts down. */
  readonly acquireMs: number;
  /** Logs of revisions without a new line for this long are removed. */
  readonly logRetentionMs: number;
}

export const TIMINGS: Timings = {
  drainMs: 100,
  answerMs: 5000,
  firstRestartMs: 1000,
  backoffMs: 10_000,
  backoffMaxMs: 300_000,
  backoffResetMs: 600_000,
  livenessFactor: 3,
  startupMs: 120_000,
  aliveMs: 500,
  wrongPortMs: 3000,
  sameFailureMs: 10_000,
  acquireMs: 5000,
  logRetentionMs: 7 * 24 * 3_600_000,
};
