/** The choice of git, and the limits of its processes. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartError } from '@slipway/foundation/start-error.ts';
import { GitFailed, GitProgram, requireGit } from './git-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-git-'));
});
afterEach(() => rm(folder, { recursive: true }));

const fakeGit = async (version: string): Promise<void> => {
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho '${version}'\n`);
  await chmod(join(folder, 'git'), 0o755);
};

test('the git of this machine is new enough', () => requireGit());

test.each(['git version 2.32.0', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0.1'])('%s is taken', async (version) => {
  await fakeGit(version);
  await requireGit(folder);
});

test.each(['git version 2.31.8', 'git version 1.99.0', 'something else'])('%s is refused, and what to install is said', async (version) => {
  await fakeGit(version);
  const refusal = requireGit(folder);
  await expect(refusal).rejects.toBeInstanceOf(StartError);
  await expect(refusal).rejects.toThrow(`this machine has ${version}. Install git 2.32 or newer`);
});

test('a machine without git is refused', async () => {
  await expect(requireGit(folder)).rejects.toThrow('there is none on the PATH. Install git 2.32 or newer');
});

describe('a command', () => {
  test('fails with what git said', async () => {
    const git = new GitProgram();
    const run = git.run(join(folder, 'none.git'), ['cat-file', '-e', 'HEAD']);
    await expect(run).rejects.toBeInstanceOf(GitFailed);
    await expect(run).rejects.toThrow('git cat-file ended with 128: fatal: not a git repository');
  });

  test.runIf(process.platform === 'linux')('has the limits that it is given, and no core files', async () => {
    const git = new GitProgram({ memoryBytes: 64 * 1024 * 1024, cpuSeconds: 7 });
    // Only an alias runs a shell from a git command.
    const { stdin, stdout, stop } = git.spawn(folder, ['-c', 'alias.limits=!cat /proc/self/limits', 'limits']);
    stdin.end();
    let text = '';
    for await (const chunk of stdout) text += String(chunk);
    stop();
    expect(text).toMatch(/^Max data size +67108864 +67108864/m);
    expect(text).toMatch(/^Max cpu time +7 +7/m);
    expect(text).toMatch(/^Max core file size +0 +0/m);
  });
});
