/** The two registries of the bench: the platform's own, and Debian's docker-registry with a configuration as its package has it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeApp, makeTeam, type Platform } from '../platform.ts';
import type { Target } from './client.ts';

export interface RegistryServer {
  readonly pid: number;
  /** For one client; no two write to one repository. */
  target(client: number): Promise<Target>;
}
const app = 'bench-registry';
const newAgent = (): http.Agent => new http.Agent({ keepAlive: true });

/** With a token that is good for its repository, as clients have one after the first challenge. */
export const slipwayRegistry = async (platform: Platform): Promise<RegistryServer> => {
  await makeTeam(platform);
  await makeApp(platform, app);
  const robots = `/api/v1/apps/${app}/development/container-registry/robot-accounts`;
  const { username, secret } = await platform.call('POST', robots, { name: 'bench', permissions: ['pull', 'push'] });
  const basic = `Basic ${Buffer.from(`${String(username)}:${String(secret)}`).toString('base64')}`;
  return {
    pid: platform.pid,
    target: async (client) => {
      const repository = `${app}/client-${client}`;
      const scope = `service=slipway-registry&scope=repository:${repository}:pull,push`;
      const answer = await fetch(`${platform.url}/v2/token?${scope}`, { headers: { authorization: basic } });
      const { token } = (await answer.json()) as { token: string };
      return { port: Number(new URL(platform.url).port), repository, agent: newAgent(), authorization: `Bearer ${token}` };
    },
  };
};

export const debianRegistry = async (program: string, port: number): Promise<RegistryServer & { stop(): Promise<void> }> => {
  const directory = mkdtempSync(join(tmpdir(), 'docker-registry-'));
  const file = join(directory, 'config.yml');
  writeFileSync(
    file,
    `version: 0.1
log:
  level: error
  accesslog:
    disabled: true
storage:
  cache:
    blobdescriptor: inmemory
  filesystem:
    rootdirectory: ${join(directory, 'data')}
http:
  addr: 127.0.0.1:${port}
`,
  );
  const child = spawn(program, ['serve', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (let attempt = 0; !(await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => undefined))?.ok; attempt += 1) {
    if (attempt > 200 || child.exitCode !== null) throw new Error('docker-registry does not answer');
    await delay(50);
  }
  return {
    pid: child.pid ?? 0,
    target: async (client) => ({ port, repository: `${app}/client-${client}`, agent: newAgent(), authorization: undefined }),
    stop: async () => {
      child.kill();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/**
 * Returns the resident memory of a process and its descendants in megabytes. Leaves out PostgreSQL, because each of its processes counts
 * the shared memory as its own.
 */
export const residentMegabytes = (root: number): number => {
  const processes = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statusOf(name) ?? []) : [])));
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(processes.get(pid)?.parent ?? 0));
  const kilobytes = [...processes].reduce((sum, [pid, one]) => sum + (one.name !== 'postgres' && isBelow(pid) ? one.kilobytes : 0), 0);
  return kilobytes / 1024;
};

type Status = [number, { readonly name: string; readonly parent: number; readonly kilobytes: number }];
const statusOf = (pid: string): Status[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1] ?? '';
    return [[Number(pid), { name: field('Name'), parent: Number(field('PPid')), kilobytes: Number(field('VmRSS')) }]];
  } catch {
    return undefined;
  }
};
