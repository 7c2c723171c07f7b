/**
 * All tiers with namespaces: a staging root, a user namespace, and in it one of three tools to run the program. As root each command has
 * two users of the machine, one for setup and one for the program. Otherwise it runs as the server's own user, without privileges inside.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { ControlGroups } from './control-groups/control-group-files.ts';
import { withPlaces } from './image-mount-points.ts';
import type { InnerTool } from './tools/inner-tool.ts';
import { LauncherTool } from './tools/launcher-tool.ts';
import type { MemoryWatch } from './control-groups/memory-watch.ts';
import { childOf } from './process-tree.ts';
import { RunningCommand, type Joining } from './running-command.ts';
import type { Sandbox, SandboxCommand, SandboxedProcess } from './sandbox.ts';
import { shellQuote, shellWords } from './shell-script.ts';
import { FAIL, stagingSteps, type StagingTools } from './staging.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { execYielding } from './yielding.ts';

/** The program's user id inside. Setup runs as user 0. */
const INSIDE = 1000;
const NAMESPACES = ['--user', '--mount', '--pid', '--ipc', '--uts'];
/** Complete environment of the machine's own programs. The program's environment goes through a pipe. */
const BARE_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/**
 * Passed by environment variable: everyone inside could read arguments, which reveal paths of the machine, but not the first process's
 * environment.
 */
const INSIDE_SCRIPT = 'SLIPWAY_INSIDE';
const RUN_INSIDE = `script=$${INSIDE_SCRIPT}; unset ${INSIDE_SCRIPT}; eval "$script"`;

export interface StagedParts {
  readonly tools: StagingTools;
  readonly inner: InnerTool;
  readonly controlGroups: ControlGroups | undefined;
  readonly memoryWatch: MemoryWatch;
  readonly hasNetworks: boolean;
}

export class StagedSandbox implements Sandbox {
  readonly tier;
  readonly isUidUsed = process.getuid?.() === 0;
  readonly limits;
  readonly hasNetworks;
  readonly #parts: StagedParts;
  readonly #launcher = new LauncherTool();
  /** Mount point of the staging root. Each command mounts over it only in its own mount namespace, so all commands share it. */
  readonly #staging = temporaryDirectory('slipway-sandbox', 0o700);

  constructor(parts: StagedParts) {
    this.#parts = parts;
    this.tier = parts.inner.tier;
    this.limits = parts.controlGroups ? ('enforced' as const) : ('observed' as const);
    this.hasNetworks = parts.hasNetworks;
  }

  spawn(given: SandboxCommand): SandboxedProcess {
    const { controlGroups, inner, memoryWatch, tools } = this.#parts;
    const command = withPlaces(given);
    const joinFiles = controlGroups?.create(command.id, command.limits, command.isYielding) ?? [];
    const child = spawn(tools.sh, ['-c', this.#script(command)], {
      env: { ...BARE_ENVIRONMENT, [INSIDE_SCRIPT]: this.#inside(command) },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const user = this.isUidUsed ? INSIDE : undefined;
    return new RunningCommand({
      command,
      child,
      input: inner.input(command, user),
      ...(this.isUidUsed ? { map: (wrapper: number) => mapUsers(wrapper, command.uid) } : {}),
      joinFiles,
      hasNetwork: this.hasNetworks,
      controlGroups,
      memoryWatch: controlGroups ? undefined : memoryWatch,
      program: (wrapper) => {
        const first = childOf(wrapper);
        return first === undefined ? undefined : inner.program(first);
      },
      ...(inner.leftOver ? { leftOver: (wrapper: number) => inner.leftOver?.(childOf(wrapper) ?? -1) ?? [] } : {}),
      join: (program, further) => this.#join(command, child.pid ?? -1, program, further),
    });
  }

  clean(id: string): void {
    this.#parts.controlGroups?.remove(id);
  }

  /** Script from the server's process to the first process inside. Only that process is forked, so its parent is the child spawned here. */
  #script(command: SandboxCommand): string {
    const { tools } = this.#parts;
    const namespaces = [...NAMESPACES, ...(this.hasNetworks ? ['--net'] : []), '--fork', '--kill-child=KILL'];
    // The parent-death signal survives exec: the wrapper dies with the server, and everything inside dies with the wrapper.
    const alive = [tools.setpriv, '--pdeathsig', 'KILL', tools.unshare];
    if (!this.isUidUsed) return execYielding(command, [...alive, '--map-root-user', ...namespaces, '--', tools.sh, '-c', RUN_INSIDE]);
    // The namespace starts without users: only the machine's root may map the two users.
    const become = [tools.setpriv, '--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all', '--reuid=0', '--regid=0', '--clear-groups'];
    const mapped = [
      'echo map >&4',
      'read -r mapped <&3',
      `exec ${shellWords([...become, '--pdeathsig=KILL', tools.sh, '-c', RUN_INSIDE])}`,
    ];
    const enter = `exec ${shellWords([tools.unshare, '--keep-caps', ...namespaces, '--', tools.sh, '-c', mapped.join('\n')])}`;
    return execYielding(command, [...alive, '--mount', '--', tools.sh, '-c', `${this.#staged(command)}\n${enter}`]);
  }

  /** Script of the first process inside. */
  #inside(command: SandboxCommand): string {
    const { inner, tools } = this.#parts;
    const prepare = this.isUidUsed ? `${tools.mount} -t proc -o nosuid,nodev,noexec proc /proc || ${FAIL}` : this.#staged(command);
    return `${prepare}\n${inner.firstProcess(tools, command)}`;
  }

  #staged(command: SandboxCommand): string {
    return `stage() {\n${stagingSteps(this.#parts.tools, this.#staging, command, this.isUidUsed).join(' &&\n')}\n}\nstage || ${FAIL}`;
  }

  /** Enters the namespaces through their first process, which is still in the staging root, and continues from there like a start. */
  #join(command: SandboxCommand, wrapper: number, program: number, further: readonly string[]): Joining {
    const { tools } = this.#parts;
    const first = childOf(wrapper) ?? -1;
    const of = (pid: number, kind: string): string => `/proc/${pid}/ns/${kind === 'mount' ? 'mnt' : kind}`;
    const own = ['pid', 'ipc', 'uts', ...(this.hasNetworks ? ['net'] : [])];
    const enter = [
      tools.nsenter,
      // Without root the process already has the namespace's user, and may not change groups.
      ...(this.isUidUsed ? [] : ['--preserve-credentials']),
      `--user=${of(first, 'user')}`,
      `--mount=${of(first, 'mount')}`,
      ...own.map((kind) => `--${kind}=${of(program, kind)}`),
      `--root=/proc/${first}/root`,
      '--wd=/proc/self/cwd',
      '--',
      ...this.#launcher.words(),
    ];
    const joinFiles = this.#parts.controlGroups?.create(command.id, command.limits, command.isYielding) ?? [];
    const join = joinFiles.map((file) => `echo $$ > ${shellQuote(file)} || exit 125`);
    const script = [...join, `exec 5<${of(program, 'mount')}`, `exec ${shellWords(enter)}`].join('\n');
    const input = this.#launcher.joinInput({ ...command, command: further }, this.isUidUsed ? INSIDE : undefined);
    return { file: tools.sh, args: ['-c', script], env: BARE_ENVIRONMENT, input };
  }
}

/** Maps users of the machine: the program's id, and the next one for setup. Same for groups. Source: user_namespaces(7). */
function mapUsers(wrapper: number, uid: number): void {
  const map = `0 ${uid + 1} 1\n${INSIDE} ${uid} 1\n`;
  writeFileSync(`/proc/${wrapper}/uid_map`, map);
  writeFileSync(`/proc/${wrapper}/gid_map`, map);
}
