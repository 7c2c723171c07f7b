/** An OCI runtime builds the program's root and starts it, with a standard container configuration. */
import { existsSync, readlinkSync } from 'node:fs';
import { readText } from '../control-groups/control-group-files.ts';
import { fileLines, fromFiles, type InnerTool, limitsOf } from './inner-tool.ts';
import { MASKED_DIRECTORIES, MASKED_FILES, READ_ONLY } from '../kernel-view.ts';
import { childOf, descendants, knownDescendants } from '../process-tree.ts';
import type { SandboxCommand } from '../sandbox.ts';
import { seccompProfile } from '../seccomp.ts';
import { shellWords } from '../shell-script.ts';
import type { StagingTools } from '../staging.ts';

const PID_FILE = '/state/pid';

export class OciTool implements InnerTool {
  readonly tier = 'oci';
  readonly #runtime: string;

  /** `runtime` is the path of crun. It must leave control groups alone, which the platform already sets; not every runtime can. */
  constructor(runtime: string) {
    this.#runtime = runtime;
  }

  firstProcess(tools: StagingTools, command: SandboxCommand): string {
    const options = ['--root', '/state/run', '--cgroup-manager', 'disabled'];
    const run = [this.#runtime, ...options, 'run', '--pid-file', PID_FILE, '--bundle', '/state/bundle', command.id];
    const bundle = `${tools.mkdir} -p /state/bundle /state/run && ${tools.ln} -s ../0 /state/bundle/config.json || exit 125`;
    return fromFiles(tools, 1, `exec ${shellWords(run)}`, bundle);
  }

  input(command: SandboxCommand, user: number | undefined): string {
    return fileLines(JSON.stringify(configuration(command, user ?? 0)));
  }

  program(first: number): number | undefined {
    const runtime = childOf(first);
    const inside = numberInside(first);
    if (runtime === undefined || inside === undefined) return undefined;
    const program = knownDescendants(runtime).find((pid) => pid !== runtime && innermost(pid) === inside);
    // The runtime executes its own code until it becomes the program.
    return program === undefined || programOf(program) === programOf(runtime) ? undefined : program;
  }

  leftOver(first: number): readonly number[] {
    const runtime = childOf(first);
    const inside = numberInside(first);
    if (runtime === undefined || inside === undefined || existsSync(`/proc/${first}/root/proc/${inside}`)) return [];
    return descendants(runtime).flatMap(({ pid }) => (pid === runtime ? [] : [pid]));
  }
}

/** Returns the program's pid inside, which the runtime writes to a file before the program starts. */
const numberInside = (first: number): string | undefined => readText(`/proc/${first}/root${PID_FILE}`).trim() || undefined;

/** Returns a process's pid in its innermost namespace. */
const innermost = (pid: number): string | undefined => /^NSpid:.*\s(\d+)$/m.exec(readText(`/proc/${pid}/status`))?.[1];

function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

/** Source: the OCI runtime specification, config.md and config-linux.md. */
function configuration(command: SandboxCommand, user: number): object {
  const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
  const limit = (type: string, value: number): object => ({ type: `RLIMIT_${type}`, soft: value, hard: value });
  const bind = (destination: string, source: string, options: readonly string[] = []): object => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'nosuid', ...options],
  });
  const { files, processes, temporaryMegabytes } = limitsOf(command);
  const temporary = ['nosuid', 'nodev', 'mode=1777', `size=${temporaryMegabytes}m`];
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: user, gid: user, umask: 0o022 },
      args: command.command,
      env: Object.entries(command.env).map(([name, value]) => `${name}=${value}`),
      cwd: command.cwd,
      capabilities: none,
      noNewPrivileges: true,
      rlimits: [limit('CORE', 0), limit('NOFILE', files), ...(user === 0 ? [] : [limit('NPROC', processes)])],
    },
    root: { path: '/image', readonly: !command.isRootWritable },
    mounts: [
      ...command.binds.map(({ isReadOnly, target }, index) => bind(target, `/binds/${index}`, ['nodev', ...(isReadOnly ? ['ro'] : [])])),
      // Already mounted by the platform for these namespaces.
      bind('/proc', '/proc', ['nodev', 'noexec']),
      bind('/dev', '/dev'),
      { destination: '/tmp', type: 'tmpfs', source: 'slipway', options: temporary },
    ],
    linux: {
      namespaces: [{ type: 'mount' }],
      seccomp: seccompProfile(),
      maskedPaths: [...MASKED_FILES, ...MASKED_DIRECTORIES].map((name) => `/proc/${name}`),
      readonlyPaths: READ_ONLY.map((name) => `/proc/${name}`),
    },
  };
}
