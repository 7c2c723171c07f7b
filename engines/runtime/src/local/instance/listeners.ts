/**
 * Ports on which a set of processes listens (Linux). Distinguishes a wrong port from none, and an instance's own port from another
 * process's.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN = '0A';

/** Returns the ports in ascending order, or undefined if the kernel does not report them. */
export function listeningPorts(pids: readonly number[]): readonly number[] | undefined {
  // Reads the processes' own network, which may not be the server's. The first process is a wrapper outside.
  const sockets = listeningSockets(pids.at(-1));
  if (sockets === undefined || pids.length === 0) return undefined;
  const ports = new Set<number>();
  let isReadable = false;
  for (const pid of pids) {
    const inodes = socketInodes(pid);
    if (inodes === undefined) continue;
    isReadable = true;
    for (const inode of inodes) {
      const port = sockets.get(inode);
      if (port !== undefined) ports.add(port);
    }
  }
  return isReadable ? [...ports].toSorted((left, right) => left - right) : undefined;
}

/** Maps socket inodes to ports for all listeners in a process's network namespace. */
function listeningSockets(pid: number | undefined): ReadonlyMap<string, number> | undefined {
  const sockets = new Map<string, number>();
  for (const file of [`/proc/${pid ?? 'self'}/net/tcp`, `/proc/${pid ?? 'self'}/net/tcp6`]) {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      if (file.endsWith('tcp')) return undefined;
      continue;
    }
    for (const line of text.split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state === LISTEN) sockets.set(inode, Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
    }
  }
  return sockets;
}

function socketInodes(pid: number): readonly string[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
