/** Checks of the doctor: each reports rows, has a time limit of its own, and cannot stop the others. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { mapLimited } from '#kernel/map-limited.ts';

export interface Row {
  /** Checked engine and its place: `database`, `kafka production`. */
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  readonly message: string;
  /** Advice. */
  readonly next?: string;
}

/** Collects the rows of one subject. */
export class Findings {
  readonly rows: Row[] = [];
  readonly #subject: string;

  constructor(subject: string) {
    this.#subject = subject;
  }

  ok(message: string): void {
    this.rows.push({ subject: this.#subject, state: 'ok', message });
  }

  warning(message: string, next: string): void {
    this.rows.push({ subject: this.#subject, state: 'warning', message, next });
  }

  failed(message: string, next: string): void {
    this.rows.push({ subject: this.#subject, state: 'failed', message, next });
  }
}

export interface Check {
  readonly subject: string;
  readonly run: (findings: Findings) => Promise<void>;
}
/** Returns the checks that the configuration asks for. */
export type ChecksOf = (config: Config) => readonly Check[];

const TIMEOUT_MS = 20_000;

/** Runs all checks side by side. A check that takes too long fails with what it found until then. */
export const runChecks = async (checks: readonly Check[], timeoutMs = TIMEOUT_MS): Promise<Row[]> =>
  (await mapLimited(checks, (check) => runOne(check, timeoutMs), Math.max(checks.length, 1))).flat();

const runOne = async ({ run, subject }: Check, timeoutMs: number): Promise<readonly Row[]> => {
  const findings = new Findings(subject);
  const timer = new AbortController();
  const late = delay(timeoutMs, 'late' as const, { signal: timer.signal }).catch(() => undefined);
  try {
    if ((await Promise.race([run(findings), late])) === 'late') {
      // Later findings of the check do not count.
      const found = [...findings.rows];
      findings.failed(
        `The check did not end within ${Math.round(timeoutMs / 1000)} seconds.`,
        'Look at the network between this machine and the engine: a firewall that drops packets looks like this.',
      );
      return [...found, ...findings.rows.slice(found.length)];
    }
  } catch (error) {
    findings.failed(errorMessage(error), 'Look at the message: this error was not expected.');
  } finally {
    timer.abort();
  }
  return findings.rows;
};

/** Message of the innermost cause, which says most, without a period. */
export const causeOf = (error: unknown): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return inner === undefined ? errorMessage(error).replace(/\.$/, '') : causeOf(inner);
};

/** Tokens and leases go wrong from here on. */
const CLOCK_MS = 5000;

/** Compares the clock of an engine with this machine's. `sentMs` and `receivedMs` enclose the engine's reading. */
export const compareClocks = (findings: Findings, theirMs: number, sentMs: number, receivedMs: number): void => {
  const differenceMs = theirMs < sentMs ? sentMs - theirMs : Math.max(0, theirMs - receivedMs);
  // Dates in HTTP headers have whole seconds.
  if (differenceMs <= CLOCK_MS) return findings.ok(`Its clock and this machine's agree within ${Math.ceil(differenceMs / 1000) || 1} s.`);
  findings.warning(
    `Its clock and this machine's differ by ${Math.round(differenceMs / 1000)} s.`,
    'Run a time service (NTP) on both. Tokens are refused when clocks differ.',
  );
};
