/**
 * The tier that needs nothing but util-linux. As root it drops to a user of the machine per service; otherwise it runs in a user
 * namespace as the server's own user, who is nobody special inside.
 */
import { spawn } from 'node:child_process';
import type { ControlGroups } from './control-group-files.ts';
import { joinScript } from './control-groups.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { childOf } from './process-tree.ts';
import { existsInRoot } from './root-path.ts';
import { RunningCommand, sendInput, type Joining } from './running-command.ts';
import type { Sandbox, SandboxCommand, SandboxedProcess } from './sandbox.ts';
import { handOverEnvironment, shellWords } from './shell-script.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { launchScript, setUpScript, type UnshareTools } from './unshare-script.ts';
import { execYielding } from './yielding.ts';

const NAMESPACES = ['--mount', '--pid', '--ipc', '--uts'];
/** The machine's own programs run with this and nothing else; the command's environment goes through a pipe. */
const BARE_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

export class UnshareSandbox implements Sandbox {
  readonly tier = 'unshare';
  readonly isUidUsed = process.getuid?.() === 0;
  readonly limits: 'enforced' | 'observed';
  readonly #tools: UnshareTools;
  readonly #controlGroups: ControlGroups | undefined;
  readonly #memoryWatch: MemoryWatch | undefined;
  /** Each command mounts its staging root over it; only in its own mount namespace, so one serves all. */
  readonly #staging = temporaryDirectory('slipway-sandbox', 0o700);

  constructor(tools: UnshareTools, controlGroups: ControlGroups | undefined, memoryWatch: MemoryWatch) {
    this.#tools = tools;
    this.#controlGroups = controlGroups;
    this.#memoryWatch = controlGroups ? undefined : memoryWatch;
    this.limits = controlGroups ? 'enforced' : 'observed';
  }

  spawn(command: SandboxCommand): SandboxedProcess {
    const { tools, joinFiles } = {
      tools: this.#tools,
      joinFiles: this.#controlGroups?.create(command.id, command.limits, command.isYielding) ?? [],
    };
    const environment = handOverEnvironment(
      command.env,
      ['/usr/bin/env', '/bin/env'].find((path) => existsInRoot(command.rootfs, path)),
    );
    const script = setUpScript(tools, this.#staging, command, this.isUidUsed);
    const enter = [
      // The parent-death signal outlives exec: the wrapper dies with the server, and everything inside with the wrapper.
      tools.setpriv,
      '--pdeathsig',
      'KILL',
      tools.unshare,
      ...(this.isUidUsed ? [] : ['--map-root-user']),
      ...NAMESPACES,
      '--fork',
      '--kill-child=KILL',
      '--',
      tools.sh,
      '-c',
      script,
    ];
    const child = spawn(tools.sh, ['-c', `${joinScript(joinFiles)}; ${execYielding(command, enter)}`], {
      env: BARE_ENVIRONMENT,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const running = new RunningCommand({
      command,
      child,
      controlGroups: this.#controlGroups,
      memoryWatch: this.#memoryWatch,
      program: (wrapper) => mapDefined(childOf(wrapper), childOf),
      join: (_program, further) => this.#join(command, childOf(child.pid!), further, environment, joinFiles),
    });
    sendInput(child, environment);
    return running;
  }

  clean(id: string): void {
    this.#controlGroups?.remove(id);
  }

  /** Enters the namespaces by their first process, which still stands in the staging root, and repeats the last steps from there. */
  #join(command: SandboxCommand, first: number | undefined, further: readonly string[], input: string, files: readonly string[]): Joining {
    const tools = this.#tools;
    const namespaces = ['--mount', '--pid', '--ipc', '--uts', ...(this.isUidUsed ? [] : ['--user', '--preserve-credentials'])];
    const launch = launchScript(tools, command, further, this.isUidUsed);
    const words = [tools.nsenter, '--target', String(first ?? -1), ...namespaces, '--root', '--wd', '--', tools.sh, '-c', launch];
    return { file: tools.sh, args: ['-c', `${joinScript(files)}; exec ${shellWords(words)}`], env: BARE_ENVIRONMENT, input };
  }
}

const mapDefined = <A, B>(value: A | undefined, map: (value: A) => B | undefined): B | undefined =>
  value === undefined ? undefined : map(value);
