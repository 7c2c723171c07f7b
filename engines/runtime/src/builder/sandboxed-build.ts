/** The part of a build that runs foreign code: npm and the build script, in a separate room within the sandbox. */
import { join } from 'node:path';

import { isNoSpace } from '@slipway/foundation/no-space.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';

import { durationText } from './amounts.ts';
import type { BuildDisk } from './build-disk.ts';
import { tooLarge } from './build-limits.ts';
import type { BuildLimits } from './build-limits.ts';
import { collectOutput } from './build-output.ts';
import type { BuildOutput } from './build-output.ts';
import type { BuildPlan } from './build-plan.ts';
import { layOutRoom } from './build-room.ts';
import type { BuildRoom } from './build-room.ts';
import type { BuildLog } from './log-lines.ts';
import type { NpmProgram } from './npm-program.ts';
import { measureBuild } from './measure-build.ts';
import { runSandboxed } from './sandboxed-run.ts';
import type { SandboxedRun } from './sandboxed-run.ts';

export interface SandboxedBuild {
  /** Directory for this build only. The caller removes it. */
  readonly directory: string;
  /** Disk that the build writes to, if it can be limited. */
  readonly disk: BuildDisk | undefined;
  readonly floor: Floor;
  readonly buildId: string;
  readonly tree: ReadonlyMap<string, SourceFile>;
  readonly plan: BuildPlan;
  readonly npm: NpmProgram;
  readonly insideHosts?: readonly string[] | undefined;
  readonly sandbox: Sandbox;
  readonly limits: BuildLimits;
  readonly log: BuildLog;
  readonly signal: AbortSignal;
}

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  readonly failure: SandboxedRun['failure'];
}

/** Foreign install scripts never run: no file of the source can override `--ignore-scripts` on the command line. */
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier', '--color=false'];

const steps = ({ install, hasBuildScript }: BuildPlan): Step[] => {
  const npmFailure = { code: 'BuildDependenciesFailed', what: 'npm ci' } as const;
  const all: Step[] = [];
  if (install === 'production')
    all.push({ name: 'Installing dependencies (npm ci --omit=dev)', args: ['ci', '--omit=dev', ...QUIET], failure: npmFailure });
  if (install === 'all')
    all.push({ name: 'Installing dependencies (npm ci)', args: ['ci', '--include=dev', ...QUIET], failure: npmFailure });
  if (hasBuildScript) {
    const failure = { code: 'BuildScriptFailed', what: 'npm run build' } as const;
    all.push({
      name: 'Running the build script (npm run build)',
      args: ['run', 'build', '--no-update-notifier', '--color=false'],
      failure,
    });
  }
  if (install === 'all' && hasBuildScript) {
    const failure = { code: 'BuildDependenciesFailed', what: 'npm prune' } as const;
    all.push({ name: 'Removing development dependencies (npm prune)', args: ['prune', '--omit=dev', ...QUIET], failure });
  }
  return all;
};

const roomOf = async ({ directory, disk, buildId, tree, npm, sandbox, limits, insideHosts }: SandboxedBuild): Promise<BuildRoom> => {
  try {
    return await layOutRoom({ root: disk?.folder ?? join(directory, 'room'), buildId, sandbox, files: tree.values(), npm, insideHosts });
  } catch (error) {
    // The build's own disk is full, not the platform's.
    throw disk !== undefined && isNoSpace(error) && (await disk.isFull()) ? tooLarge(limits) : error;
  }
};

/** Runs the plan's steps and returns the image's contents, as files in `directory`. */
export const buildInSandbox = async (build: SandboxedBuild): Promise<BuildOutput> => {
  const { disk, floor, buildId, plan, sandbox, limits, log, signal } = build;
  const room = await roomOf(build);
  const deadline = Date.now() + limits.timeMs;
  const folders = [room.app, room.home];
  for (const [index, { name, args, failure }] of steps(plan).entries()) {
    const startedAt = performance.now();
    log.say(`${name} …`);
    const command = { id: `build-${buildId}-${index + 1}`.replaceAll(/[^A-Za-z0-9-]/g, '-'), ...room.npm(args) };
    await runSandboxed({ sandbox, command, log, limits, deadline, folders, disk, floor, signal, failure });
    log.say(`… done in ${durationText(performance.now() - startedAt)}.`);
  }
  await measureBuild([room.app], { limits, isOver: true });
  return collectOutput(room.app, log);
};
