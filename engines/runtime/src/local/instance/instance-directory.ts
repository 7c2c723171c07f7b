/** A running instance's file on disk besides its log: the mark by which a later holder finds its process. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killTree, readProcess } from '../../sandbox/process-tree.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

const MARK = 'process.json';
const root = (dataDir: string): string => join(dataDir, 'instances');

export const instanceDirectory = (dataDir: string, instance: string): string => join(root(dataDir), instance);

/** Stores the pid with its start time, since the system reuses pids. */
export function markProcess(dataDir: string, instance: string, pid: number): void {
  const directory = instanceDirectory(dataDir, instance);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, MARK), JSON.stringify({ pid, startTicks: readProcess(pid)?.startTicks }), { mode: 0o600 });
}

/** Kills and removes leftovers of a dead holder. Usually there is nothing to kill: instances die with their server. */
export function cleanUpInstances(dataDir: string, sandbox: Sandbox): readonly string[] {
  let instances: readonly string[];
  try {
    instances = readdirSync(root(dataDir));
  } catch {
    return [];
  }
  for (const instance of instances) {
    const directory = instanceDirectory(dataDir, instance);
    const mark = readMark(join(directory, MARK));
    if (mark?.startTicks !== undefined && readProcess(mark.pid)?.startTicks === mark.startTicks) killTree(mark.pid);
    sandbox.clean(instance);
    rmSync(directory, { recursive: true, force: true });
  }
  return instances;
}

function readMark(file: string): { readonly pid: number; readonly startTicks?: number } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; startTicks?: number };
  } catch {
    return undefined;
  }
}
