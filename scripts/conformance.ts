/**
 * Runs the conformance program of the OCI distribution specification, all options on, against a platform of its own:
 * `npm run test:conformance -- <program>…`, where each is a built program of its own release, 1.1 or later. It prints what failed,
 * and fails when that is not what the list below expects.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { robotAccountCreate } from '../packages/contract/src/registry/robot-account.ts';
import type { PipelineRun } from '../packages/contract/src/pipeline/pipeline.ts';
import { freePort } from '../packages/foundation/src/testing/free-port.ts';
import { Program, removeData } from '../packages/server/src/testing/program.ts';
import { buildConsole } from './build-console.ts';
import { conformanceEnvironment, judge, readOutcomes, type Outcome } from './conformance-report.ts';

const APP = 'conformance';
const PATIENCE_MS = 5 * 60_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const startRegistry = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-conformance-'));
  const ingress = String(await freePort());
  const program = await Program.start(await freePort(), { SLIPWAY_DATA: dataDir, SLIPWAY_INGRESS_PORT: ingress });
  const close = async (): Promise<void> => {
    await program.end('SIGTERM');
    await removeData(dataDir);
  };
  try {
    await program.makeTeam();
    const made: PipelineRun = await program.ended(await program.quickstart(APP));
    if (made.status.state !== 'COMPLETED') throw new Error(`The app could not be made: ${JSON.stringify(made.status)}`);
    const body = { name: 'tester', permissions: ['pull', 'push', 'delete'] };
    const robot = await program.call(robotAccountCreate, { params: { app: APP, env: 'development' }, body });
    const { username, secret } = robot as { username: string; secret: string };
    return { host: `127.0.0.1:${program.port}`, username, secret, close };
  } catch (error) {
    await close();
    throw error;
  }
};
type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** Runs the program in an empty directory, so that it finds no configuration but ours. */
const runProgram = async (path: string, name: string, { host, username, secret }: Registry): Promise<readonly Outcome[]> => {
  const work = mkdtempSync(join(tmpdir(), 'slipway-conformance-report-'));
  try {
    const env = { PATH: process.env['PATH'], HOME: work, ...conformanceEnvironment({ host, project: APP, name, username, secret, work }) };
    const child = spawn(path, [], { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    await new Promise((ended, failed) => child.once('close', ended).once('error', failed));
    const report = join(work, 'junit.xml');
    if (!existsSync(report)) throw new Error(`${path} ended without a report: ${output.slice(-2000)}`);
    return readOutcomes(readFileSync(report, 'utf8'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

/** True when nothing failed but what is expected to. */
const tell = (path: string, outcomes: readonly Outcome[], tookMs: number): boolean => {
  const count = (state: Outcome['state']): number => outcomes.filter((outcome) => outcome.state === state).length;
  const { expected, unexpected } = judge(outcomes);
  const failures = `${unexpected.length} failed, ${expected.length} refused on purpose`;
  say(`${path}: ${count('passed')} passed, ${failures}, ${count('skipped')} skipped, in ${(tookMs / 1000).toFixed(1)} s`);
  for (const { name, message } of unexpected) say(`  FAILED: ${name} ${message}`);
  for (const { name } of expected) say(`  refused on purpose, an image without its layer: ${name}`);
  for (const { name } of outcomes.filter(({ state }) => state === 'skipped')) say(`  skipped: ${name}`);
  return count('passed') > 0 && unexpected.length === 0;
};

const programs = process.argv.slice(2).map((path) => resolve(path));
if (programs.length === 0) {
  say('\nNO CONFORMANCE TEST: nothing was run. Name one or more built conformance programs:');
  say('  npm run test:conformance -- <path to the program>…');
  say('They are built from the folder conformance of github.com/opencontainers/distribution-spec; see its README.\n');
  process.exitCode = 1;
} else {
  buildConsole();
  const registry = await startRegistry();
  try {
    for (const [index, path] of programs.entries()) {
      const startedAt = performance.now();
      const outcomes = await runProgram(path, `run-${index}`, registry);
      if (!tell(path, outcomes, performance.now() - startedAt)) process.exitCode = 1;
    }
  } finally {
    await registry.close();
  }
}
