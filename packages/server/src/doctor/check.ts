/** Checks of the doctor: the probes of engines, and what only the doctor asks. Each has a time limit of its own, and cannot stop the others. */
import type { Config } from '#kernel/config.ts';
import { runProbe } from '#kernel/findings.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { Finding, Findings } from '#ports/engine-probe.ts';

export interface Row extends Finding {
  /** Checked engine and its place: `database`, `kafka production`. */
  readonly subject: string;
}
export interface Check {
  readonly subject: string;
  readonly run: (findings: Findings) => Promise<unknown>;
}
/** Returns the checks that the configuration asks for. */
export type ChecksOf = (config: Config) => readonly Check[];

const TIMEOUT_MS = 20_000;

/** Runs all checks side by side. */
export const runChecks = async (checks: readonly Check[], timeoutMs = TIMEOUT_MS): Promise<Row[]> => {
  const run = async ({ run: check, subject }: Check): Promise<Row[]> => {
    const { findings } = await runProbe(check, timeoutMs);
    return findings.map((finding) => ({
      subject,
      ...finding,
      ...(finding.state === 'failed' && { next: finding.next ?? 'Look at the message: this error was not expected.' }),
    }));
  };
  return (await mapLimited(checks, run, Math.max(checks.length, 1))).flat();
};
