/** Runs probes of engines, each with a time limit of its own. An error of one probe is one of its findings. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '#kernel/caught.ts';
import type { Finding, Findings } from '#ports/engine-probe.ts';

class CollectedFindings implements Findings {
  readonly rows: Finding[] = [];

  ok(message: string): void {
    this.rows.push({ state: 'ok', message });
  }

  warning(message: string, next: string): void {
    this.rows.push({ state: 'warning', message, next });
  }

  failed(message: string, next: string): void {
    this.rows.push({ state: 'failed', message, next });
  }
}

export interface Probed<Answer> {
  readonly findings: readonly Finding[];
  /** Undefined if the probe failed or took too long. */
  readonly answer: Answer | undefined;
}
/** A probe that takes too long fails with what it found until then. */
export const runProbe = async <Answer>(probe: (findings: Findings) => Promise<Answer>, timeoutMs: number): Promise<Probed<Answer>> => {
  const found = new CollectedFindings();
  const timer = new AbortController();
  const late = delay(timeoutMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
  let answer: Answer | undefined;
  try {
    const asked = await Promise.race([probe(found).then((value) => ({ value })), late]);
    if (asked === 'late')
      found.failed(
        `The check did not end within ${Math.round(timeoutMs / 1000)} seconds.`,
        'Look at the network between this machine and the engine: a firewall that drops packets looks like this.',
      );
    else answer = asked.value;
  } catch (error) {
    found.rows.push({ state: 'failed', message: errorMessage(error) });
  } finally {
    timer.abort();
  }
  // Later findings of the probe do not count.
  return { findings: [...found.rows], answer };
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
