/** The tier for servers that do not run as root on machines with bubblewrap, which some distributions allow namespaces and nobody else. */
import { spawn } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ControlGroups } from './control-group-files.ts';
import { joinScript } from './control-groups.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { childOf } from './process-tree.ts';
import { resolveInRoot } from './root-path.ts';
import { RunningCommand, sendInput } from './running-command.ts';
import type { Sandbox, SandboxBind, SandboxCommand, SandboxedProcess } from './sandbox.ts';
import { handOverEnvironment, shellWords } from './shell-script.ts';
import { execYielding } from './yielding.ts';

export const BUBBLEWRAP_TOOLS = ['sh', 'cat', 'bwrap', 'nsenter', 'setpriv'] as const;
export type BubblewrapTools = Readonly<Record<(typeof BUBBLEWRAP_TOOLS)[number], string>>;

const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--uid', '1000', '--gid', '1000'];

export class BubblewrapSandbox implements Sandbox {
  readonly tier = 'bubblewrap';
  readonly isUidUsed = false;
  readonly limits: 'enforced' | 'observed';
  readonly #tools: BubblewrapTools;
  readonly #controlGroups: ControlGroups | undefined;
  readonly #memoryWatch: MemoryWatch | undefined;

  constructor(tools: BubblewrapTools, controlGroups: ControlGroups | undefined, memoryWatch: MemoryWatch) {
    this.#tools = tools;
    this.#controlGroups = controlGroups;
    this.#memoryWatch = controlGroups ? undefined : memoryWatch;
    this.limits = controlGroups ? 'enforced' : 'observed';
  }

  spawn(command: SandboxCommand): SandboxedProcess {
    const tools = this.#tools;
    const joinFiles = this.#controlGroups?.create(command.id, command.limits, command.isYielding) ?? [];
    const words = [tools.bwrap, '--args', '3', '--info-fd', '4', '--', ...command.command];
    const child = spawn(tools.sh, ['-c', `${joinScript(joinFiles)}; ${execYielding(command, words)}`], {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const running = new RunningCommand({
      command,
      child,
      controlGroups: this.#controlGroups,
      memoryWatch: this.#memoryWatch,
      // bubblewrap's own first process inside starts the program as its child, so that signals keep their default meaning.
      program: (_wrapper, status) => childOf(Number(/"child-pid": (\d+)/.exec(status)?.[1] ?? -1)),
      join: (program, further) => {
        const enter = [
          tools.setpriv,
          '--no-new-privs',
          tools.nsenter,
          '--target',
          String(program),
          '--user',
          '--preserve-credentials',
          '--mount',
          '--pid',
          '--ipc',
          '--uts',
          '--root',
          '--wd',
          '--',
          ...further,
        ];
        const script = `${joinScript(joinFiles)}\neval "$(${tools.cat} <&3)"\nexec 3<&- ${shellWords(enter)}`;
        return { file: tools.sh, args: ['-c', script], env: {}, input: handOverEnvironment(command.env, undefined) };
      },
    });
    sendInput(child, bubblewrapArguments(command).join('\0') + '\0');
    return running;
  }

  clean(id: string): void {
    this.#controlGroups?.remove(id);
  }
}

function bubblewrapArguments(command: SandboxCommand): readonly string[] {
  const root = command.isRootWritable ? '--bind' : '--ro-bind';
  // Mount points cannot be made in a read-only root, so they are made beforehand in the unpacked one.
  for (const target of ['/proc', '/dev', '/tmp'])
    mkdirSync(join(command.rootfs, resolveInRoot(command.rootfs, target)), { recursive: true });
  return [
    // Not `--dev`: its terminals need a second user namespace, which nobody could join for `exec`.
    root,
    command.rootfs,
    '/',
    '--proc',
    '/proc',
    '--size',
    String(64 * 1024 * 1024),
    '--tmpfs',
    '/dev',
    '--symlink',
    '/proc/self/fd',
    '/dev/fd',
    '--dir',
    '/dev/shm',
    ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ...['stdin', 'stdout', 'stderr'].flatMap((name, index) => ['--symlink', `/proc/self/fd/${index}`, `/dev/${name}`]),
    '--size',
    String((command.temporaryMegabytes ?? 256) * 1024 * 1024),
    '--tmpfs',
    '/tmp',
    ...command.binds.flatMap((bind) => [bind.isReadOnly ? '--ro-bind' : '--bind', bind.source, mountPoint(command.rootfs, bind)]),
    ...NAMESPACES,
    '--hostname',
    command.id,
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--chdir',
    command.cwd,
    '--clearenv',
    ...Object.entries(command.env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

function mountPoint(rootfs: string, bind: SandboxBind): string {
  const inside = resolveInRoot(rootfs, bind.target);
  const path = join(rootfs, inside);
  if (statSync(bind.source).isDirectory()) mkdirSync(path, { recursive: true });
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '', { flag: 'a' });
  }
  return inside;
}
