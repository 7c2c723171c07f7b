/** Attacks the platform as a thief's code would. The sandbox runs this file as its own source, so the file imports only Node's modules. */
import fs from 'node:fs';
import net from 'node:net';

export interface Targets {
  /** Files and directories. */
  readonly paths: readonly string[];
  readonly sockets: readonly string[];
  readonly pids: readonly number[];
}
/** Forbidden actions that worked. */
export interface Findings {
  readonly uid: number;
  readonly opened: readonly string[];
  readonly written: readonly string[];
  readonly connected: readonly string[];
  readonly signalled: readonly number[];
  readonly env: string;
  /** Command lines of all processes in sight. */
  readonly processes: readonly string[];
}

const works = (action: () => unknown): boolean => {
  try {
    action();
    return true;
  } catch {
    return false;
  }
};

const read = (path: string): unknown => (fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path));

const isConnected = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ path }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

const commandLine = (pid: string): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
};

export const opened = (paths: readonly string[]): string[] => paths.filter((path) => works(() => read(path)));

export const attack = async ({ paths, sockets, pids }: Targets): Promise<Findings> => {
  const secretsOf = (pid: number): string[] => ['environ', 'root', 'cwd', 'mem', 'fd'].map((name) => `/proc/${pid}/${name}`);
  // 1 is the sandbox's own keeper, which has the server's rights.
  const secrets = [...[1, ...pids].flatMap(secretsOf), '/etc/shadow', '/root', '/proc/kcore', '/dev/mem'];
  const connected = await Promise.all(sockets.map(async (path) => ((await isConnected(path)) ? [path] : [])));
  return {
    uid: process.getuid?.() ?? -1,
    opened: opened([...paths, ...secrets]),
    written: ['', '/etc', '/usr', ...paths].filter((path) => works(() => fs.writeFileSync(`${path}/planted`, 'x'))),
    connected: connected.flat(),
    signalled: pids.filter((pid) => works(() => process.kill(pid, 0))),
    env: JSON.stringify(process.env),
    processes: fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandLine),
  };
};
