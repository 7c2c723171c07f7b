/** bubblewrap builds the program's root and starts it, in its own user namespace within ours. */
import { existsSync } from 'node:fs';
import { fileLines, fromFiles, type InnerTool, limitsOf } from './inner-tool.ts';
import { MASKED_DIRECTORIES, MASKED_FILES, READ_ONLY } from '../kernel-view.ts';
import { childOf } from '../process-tree.ts';
import type { SandboxCommand } from '../sandbox.ts';
import { seccompFilter } from '../seccomp.ts';
import { shellWords } from '../shell-script.ts';
import type { StagingTools } from '../staging.ts';

const isRoot = process.getuid?.() === 0;

export class BubblewrapTool implements InnerTool {
  readonly tier = 'bubblewrap';
  readonly #bubblewrap: string;

  constructor(bubblewrap: string) {
    this.#bubblewrap = bubblewrap;
  }

  firstProcess(tools: StagingTools, command: SandboxCommand): string {
    // bubblewrap rejects capabilities that it did not request.
    const drop = [tools.setpriv, '--reuid=1000', '--regid=1000', '--clear-groups', '--inh-caps=-all', '--'];
    const { files, processes } = limitsOf(command);
    const limit = [tools.prlimit, '--core=0', `--nofile=${files}`, ...(isRoot ? [`--nproc=${processes}`] : []), '--'];
    const words = [...limit, ...(isRoot ? drop : []), this.#bubblewrap, '--args', '5', '--seccomp', '6', '--', ...command.command];
    return fromFiles(tools, 2, `exec ${shellWords(words)} 5</state/0 6</state/1`);
  }

  input(command: SandboxCommand): string {
    return fileLines(`${bubblewrapArguments(command).join('\0')}\0`, seccompFilter());
  }

  /** Skips bubblewrap's own first process inside, which starts the program as its child so that signals keep their default behavior. */
  program(first: number): number | undefined {
    return [1, 2, 3].reduce<number | undefined>((pid) => (pid === undefined ? undefined : childOf(pid)), first);
  }
}

function bubblewrapArguments(command: SandboxCommand): readonly string[] {
  const megabytes = (count: number): readonly string[] => ['--size', String(count * 1024 * 1024)];
  const masked = MASKED_FILES.filter((name) => existsSync(`/proc/${name}`)).map((name) => `/proc/${name}`);
  const covered = MASKED_DIRECTORIES.filter((name) => existsSync(`/proc/${name}`)).map((name) => `/proc/${name}`);
  return [
    command.isRootWritable ? '--bind' : '--ro-bind',
    '/image',
    '/',
    ...command.binds.flatMap(({ isReadOnly, target }, index) => [isReadOnly ? '--ro-bind' : '--bind', `/binds/${index}`, target]),
    '--proc',
    '/proc',
    '--dev-bind',
    '/dev',
    '/dev',
    ...masked.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...covered.flatMap((path) => [...megabytes(1), '--tmpfs', path, '--remount-ro', path]),
    ...READ_ONLY.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    '--perms',
    '1777',
    ...megabytes(limitsOf(command).temporaryMegabytes),
    '--tmpfs',
    '/tmp',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--uid',
    '1000',
    '--gid',
    '1000',
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
