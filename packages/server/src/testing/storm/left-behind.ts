/** Processes that a program with a data directory has left behind, on Linux. */
import { readFile, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '#testing/patience.ts';

const textOf = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

/**
 * Returns the disk path of the image that a line of mounts in a sandbox shows, or an empty string.
 * The command lines inside a sandbox name nothing of the platform.
 */
const imageOf = (mounts: string): string => / (\S+) (?:\/|\/image) \S+ /.exec(mounts)?.[1] ?? '';

/** Processes that use the data directory, by environment, command line and images: the server, the database, the agent, sandboxes, builds. */
export const leftOf = async (dataDir: string): Promise<string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const images = (await textOf(pid, 'mountinfo')).split('\n').map(imageOf);
      return [(await textOf(pid, 'cmdline')).replaceAll('\0', ' '), ...images, await textOf(pid, 'environ')].join(' ');
    }),
  );
  // As root the database lies elsewhere, behind a link.
  const places = [dataDir, await realpath(join(dataDir, 'pg'))];
  return lines.filter((line) => places.some((place) => line.includes(place)));
};

export const untilNothingIsLeft = async (dataDir: string): Promise<void> => {
  const since = Date.now();
  for (;;) {
    const lines = await leftOf(dataDir);
    if (lines.length === 0) return;
    if (Date.now() - since > PATIENCE_MS) throw new Error(`Left behind: ${lines.map((line) => line.slice(0, 200)).join('\n')}`);
    await delay(50);
  }
};
