/** The times of the embedded runtime, as Kubernetes has them where it has them; tests shorten them. */
export interface Timings {
  /** Between leaving the edge and SIGTERM, so that requests on their way still arrive. */
  readonly drainMs: number;
  /** After that, what it was sent before may take so long before SIGTERM comes: most programs end of it at once, whatever they are at. */
  readonly answerMs: number;
  /** Before the first restart; the second waits `backoffMs`, each further one twice as long, at most `backoffMaxMs`. */
  readonly firstRestartMs: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** A run this long makes the next restart a first one again. */
  readonly backoffResetMs: number;
  /** An instance that was healthy is restarted after this many times the health check's failure threshold. */
  readonly livenessFactor: number;
  /** An instance that never gets healthy is restarted after its initial delay and this. */
  readonly startupMs: number;
  /** How long a worker without port and health check must live to count as ready. */
  readonly aliveMs: number;
  /** Programs may open other ports first: a wrong port is reported only after this, then after twice as long, and so on. */
  readonly wrongPortMs: number;
  /** How long the ingress port may stay taken by a holder that is dying. */
  readonly acquireMs: number;
  /** Logs of revisions without a line for this long are removed. */
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
  acquireMs: 5000,
  logRetentionMs: 7 * 24 * 3_600_000,
};
