/** Needs only util-linux and Node: `launcher.ts` builds the root itself. */
import { type InnerTool, limitsOf, waitFor } from './inner-tool.ts';
import type { LaunchJob } from '../launcher.ts';
import { childOf } from '../process-tree.ts';
import type { SandboxCommand } from '../sandbox.ts';
import { seccompFilter } from '../seccomp.ts';
import { shellWords } from '../shell-script.ts';
import { LAUNCH, type StagingTools } from '../staging.ts';

const isRoot = process.getuid?.() === 0;

export class LauncherTool implements InnerTool {
  readonly tier = 'unshare';
  #filter: string | undefined;

  firstProcess(tools: StagingTools): string {
    // Without root there is only one user. A nested user namespace takes away its rights over the first process.
    const nested = [tools.unshare, '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', '--mount', '--'];
    return waitFor(`exec ${shellWords([...(isRoot ? [] : nested), ...LAUNCH])}`);
  }

  input(command: SandboxCommand, user: number | undefined): string {
    return this.#job('start', command, user);
  }

  program(first: number): number | undefined {
    return childOf(first);
  }

  words(): readonly string[] {
    return LAUNCH;
  }

  /** Input for an additional command: file 5 is the program's mount namespace. */
  joinInput(command: SandboxCommand, user: number | undefined): string {
    return this.#job('join', command, user);
  }

  #job(kind: LaunchJob['kind'], command: SandboxCommand, user: number | undefined): string {
    this.#filter ??= seccompFilter().toString('base64');
    const job: LaunchJob = {
      kind,
      hostName: user === undefined ? undefined : command.id,
      binds: command.binds.map(({ isReadOnly, target }) => ({ target, isReadOnly })),
      ...limitsOf(command),
      user,
      command: command.command,
      cwd: command.cwd,
      env: command.env,
      filter: this.#filter,
    };
    // The launcher reads one line of ASCII.
    return `${JSON.stringify(job).replaceAll(/[^\0-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
  }
}
