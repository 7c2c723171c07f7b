// @long: tries an engine by itself, which the tests of modules use, too
/** All tiers that this machine supports, as the test's own user and, if that is root, also as nobody. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { makeNodeRoot } from '../local/node-root.fixture.ts';
import { mayRunAs, nodeAs } from '@slipway/postgres/testing/other-user.ts';
import { detectSandbox } from './detect-sandbox.ts';
import { hostUid } from './host-uid.ts';
import { descendants } from './process-tree.ts';
import type { Sandbox, SandboxCommand, SandboxExit } from './sandbox.ts';
import { leaderOf, listedBy, OWN_DIRECTORY_ALONE, tiersOf, until } from './sandbox.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-sandbox-test-'));
const rootfs = join(directory, 'rootfs');
// Tests run programs as other users, who must be able to traverse the directory.
chmodSync(directory, 0o755);
mkdirSync(rootfs);
makeNodeRoot(rootfs, '');
writeFileSync(join(directory, 'secret'), 'geheim', { mode: 0o600 });
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const uid = hostUid('sandbox-test');
const isRoot = process.getuid?.() === 0;
let commands = 0;

function script(source: string, change: Partial<SandboxCommand> = {}): SandboxCommand {
  return {
    id: `test-${process.pid}-${++commands}`,
    rootfs,
    binds: [],
    command: ['/usr/local/bin/node', '-e', source],
    cwd: '/app',
    env: { PATH: '/usr/local/bin', WORD: `it's "so"\n$HOME` },
    uid,
    ...change,
  };
}

async function run(sandbox: Sandbox, command: SandboxCommand): Promise<SandboxExit & { output: string }> {
  const running = sandbox.spawn(command);
  let output = '';
  running.child.stdout.on('data', (chunk) => (output += String(chunk)));
  running.child.stderr.on('data', (chunk) => (output += String(chunk)));
  const closed = new Promise((resolve) => running.child.once('close', resolve));
  const exit = await running.exited;
  await closed;
  return { ...exit, output: output.trim() };
}

const { offered, missing } = await tiersOf(['oci', 'bubblewrap', 'unshare', 'host']);
test.skip.each(missing)('this machine does not offer the tier %s', () => {});

test('the best tier is found', async () => {
  const { tier } = await detectSandbox();
  expect(tier).toBe(offered[0]?.tier);
});

describe.each(offered)('$tier', ({ sandbox, tier }) => {
  test('output, exit codes and signals come through', async () => {
    expect(await run(sandbox, script('console.log(process.cwd()); console.error("e"); process.exit(7)'))).toMatchObject({
      code: 7,
      signal: null,
    });
    expect(await run(sandbox, script('process.kill(process.pid, "SIGKILL")'))).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect((await run(sandbox, script('', { command: ['/no/such/program'] }))).code).toBeGreaterThan(0);
  });

  test('the environment is the given one and nothing else', async () => {
    process.env['SLIPWAY_TEST_SECRET'] = 'geheim';
    const names = 'PATH,WORD,LD_HINT,SLIPWAY_TEST_SECRET,LC_ALL,OLDPWD';
    const { output } = await run(sandbox, script(`console.log(JSON.stringify("${names}".split(",").map((n) => process.env[n] ?? null)))`));
    expect(JSON.parse(output)).toEqual(['/usr/local/bin', `it's "so"\n$HOME`, null, null, null, null]);
  });

  test('no process list shows the environment', async () => {
    const running = sandbox.spawn(
      script('console.log("up"); setInterval(() => {}, 1000)', { env: { PATH: '/usr/local/bin', TOKEN: 'geheim-4711' } }),
    );
    await new Promise((resolve) => running.child.stdout.once('data', resolve));
    const lists = running.processes().map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    expect(lists.length).toBeGreaterThan(1);
    expect(lists.join()).not.toContain('geheim-4711');
    running.signal('SIGKILL');
    await running.exited;
  });

  test('SIGTERM reaches the program, and ends one without a handler', async () => {
    for (const [source, expected] of [
      ['process.on("SIGTERM", () => process.exit(4)); console.log("up"); setInterval(() => {}, 1000)', { code: 4, signal: null }],
      ['console.log("up"); setInterval(() => {}, 1000)', { code: null, signal: 'SIGTERM' }],
    ] as const) {
      const running = sandbox.spawn(script(source));
      await new Promise((resolve) => running.child.stdout.once('data', resolve));
      running.signal('SIGTERM');
      expect(await running.exited).toMatchObject(expected);
    }
  });

  test('SIGKILL ends everything inside, at once even when it has hardly begun', async () => {
    const running = sandbox.spawn(
      script(
        'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true }); setInterval(() => {}, 1000)',
      ),
    );
    await until('two programs', () => running.processes().length >= (tier === 'host' ? 3 : 4));
    const pids = tier === 'host' ? [running.child.pid!] : running.processes();
    running.signal('SIGKILL');
    await running.exited;
    await until('their end', () => pids.every((pid) => descendants(pid).length === 0));
    const early = sandbox.spawn(script('setInterval(() => {}, 1000)'));
    early.signal('SIGKILL');
    expect((await early.exited).signal).toBe('SIGKILL');
  });

  test('further commands join, with the same environment, and are held to their time', async () => {
    const running = sandbox.spawn(script('setInterval(() => {}, 1000)'));
    const ok = await running.exec(['node', '-e', 'console.log(process.env.WORD, process.getuid()); process.exit(3)'], 30_000);
    expect(ok).toMatchObject({ code: 3, isTimeout: false });
    expect(ok.output).toContain('it\'s "so"\n$HOME');
    expect(await running.exec(['node', '-e', 'setInterval(() => {}, 1000)'], 300)).toMatchObject({ code: null, isTimeout: true });
    expect(running.usage()?.memoryBytes).toBeGreaterThan(1024 * 1024);
    running.signal('SIGKILL');
    await running.exited;
    expect((await running.exec(['node', '-e', ''], 300)).code).toBe(126);
  });

  // Without namespaces, processes that a program left in another session cannot be found.
  test.skipIf(tier === 'host').each([0, 300])('ends as its program does although a detached child lives, after %d ms', async (delayMs) => {
    const source = `const { spawn } = require('child_process');
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' }).on('spawn', () =>
        setTimeout(() => process.exit(3), ${delayMs}));`;
    expect(await run(sandbox, script(source))).toMatchObject({ code: 3, signal: null, output: '' });
  });

  test('everything dies with a killed server', async () => {
    const holder = await leaderOf(tier, rootfs);
    const pids = descendants(holder.pid).map((row) => row.pid);
    expect(pids.length).toBeGreaterThan(2);
    process.kill(holder.pid, 'SIGKILL');
    await until('their end', () => pids.every((pid) => descendants(pid).length === 0));
  });

  test.skipIf(tier === 'host')('the machine is out of sight and the image cannot be changed', async () => {
    const probe = `
      const fs = require('fs');
      const attempt = (f) => { try { return String(f()); } catch (e) { return e.code; } };
      console.log(JSON.stringify({
        secret: attempt(() => fs.readFileSync('${directory}/secret')), directory: attempt(() => fs.readdirSync('${directory}')),
        server: attempt(() => fs.readFileSync('/proc/${process.pid}/environ')), kill: attempt(() => process.kill(${process.pid}, 0)),
        root: attempt(() => fs.writeFileSync('/app/x', '')), tmp: attempt(() => fs.writeFileSync('/tmp/x', '')), dev: attempt(() => fs.writeFileSync('/dev/null', '')),
        first: attempt(() => fs.readFileSync('/proc/1/environ')), shm: attempt(() => fs.writeFileSync('/dev/shm/x', '')),
        programs: fs.readdirSync('/proc').filter((n) => +n > 0).length, top: fs.readdirSync('/'),
        status: fs.readFileSync('/proc/self/status', 'utf8').match(/^(CapEff|CapPrm|CapAmb|NoNewPrivs):.*$/gm),
      }))`;
    const seen = JSON.parse((await run(sandbox, script(probe))).output) as Record<string, unknown>;
    expect(seen).toMatchObject({
      secret: 'ENOENT',
      directory: 'ENOENT',
      server: 'ENOENT',
      kill: 'ESRCH',
      tmp: 'undefined',
      dev: 'undefined',
      shm: 'undefined',
    });
    expect(seen['programs']).toBeLessThanOrEqual(3);
    expect(seen['status']).toEqual([
      'CapPrm:\t0000000000000000',
      'CapEff:\t0000000000000000',
      'CapAmb:\t0000000000000000',
      'NoNewPrivs:\t1',
    ]);
    for (const name of ['var', 'home', 'root', 'bin']) expect(seen['top']).not.toContain(name);
    expect(await listedBy(sandbox, rootfs)).toEqual(OWN_DIRECTORY_ALONE);
    if (tier === 'unshare') expect(seen['first']).toBe('EACCES');
    expect((await run(sandbox, script('require("fs").writeFileSync("/app/x", "")'))).output).toContain('EROFS');
  });

  test.skipIf(tier === 'host')('directories and files of the machine appear where they are bound', async () => {
    const source = join(directory, `bind-${tier}`);
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, 'a'), 'eins');
    chmodSync(source, 0o777);
    const binds = [
      { source, target: '/data/in', isReadOnly: false },
      { source, target: '/data/ro', isReadOnly: true },
      { source: join(source, 'a'), target: '/etc/a.conf', isReadOnly: true },
    ];
    const { output } = await run(
      sandbox,
      script(
        `
      const fs = require('fs');
      fs.writeFileSync('/data/in/b', 'zwei');
      console.log(fs.readFileSync('/data/ro/b') + ' ' + fs.readFileSync('/etc/a.conf'));
      fs.writeFileSync('/data/ro/c', '');`,
        { binds },
      ),
    );
    expect(output).toContain('zwei eins');
    expect(output).toContain('EROFS');
  });

  test.skipIf(tier === 'host')("a root that is the user's own can be made writable", async () => {
    const own = join(directory, `own-${tier}`);
    makeNodeRoot(own, '');
    if (isRoot) chownSync(join(own, 'app'), uid, uid);
    const command = script('require("fs").writeFileSync("/app/made", "eins")', { rootfs: own, isRootWritable: true });
    expect(await run(sandbox, command)).toMatchObject({ code: 0, output: '' });
    expect(readFileSync(join(own, 'app/made'), 'utf8')).toBe('eins');
  });

  test.runIf(tier !== 'host')('open files and processes are limited, and no program leaves a core', async () => {
    const { output } = await run(sandbox, script('console.log(require("fs").readFileSync("/proc/self/limits", "utf8"))'));
    expect(output).toMatch(/Max core file size \s*0 \s*0 /);
    expect(Number(/Max open files \s*\d+ \s*(\d+)/.exec(output)?.[1])).toBeLessThanOrEqual(16_384);
    if (isRoot) expect(output).toMatch(/Max processes \s*4096 \s*4096 /);
  });

  test.runIf(isRoot)('root gives way to users of the machine that are its own', async () => {
    const running = sandbox.spawn(script('console.log("up"); setInterval(() => {}, 1000)'));
    await new Promise((resolve) => running.child.stdout.once('data', resolve));
    const program = await running.pid();
    const ids = (pid: number) =>
      /^Uid:\t(\d+)[^]*^Gid:\t(\d+)[^]*^Groups:\t(.*?) *$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.slice(1);
    expect(ids(program ?? 0)).toEqual([String(uid), String(uid), '']);
    // Only the wrapper is root of the machine, and it runs outside.
    for (const pid of running.processes().filter((entry) => entry !== running.child.pid))
      expect(Number(ids(pid)?.[0])).toBeGreaterThanOrEqual(uid);
    running.signal('SIGKILL');
    await running.exited;
  });

  test('memory above the limit ends it, with and without control groups', async () => {
    const greedy = 'const held = []; setInterval(() => held.push(Buffer.alloc(16e6, 1)), 20)';
    const limits = { memoryMegabytes: 100, cpuMillicores: 1000 };
    for (const mayUseControlGroups of [true, false]) {
      const limited = await detectSandbox({ only: tier, mayUseControlGroups });
      expect(await run(limited, script(greedy, { limits }))).toMatchObject({ isOutOfMemory: true, code: null, signal: 'SIGKILL' });
    }
  });
});

const other = { uid: 65_534, gid: 65_534 };
test.runIf(mayRunAs(other))('without root, all tiers work as well', () => {
  const program = fileURLToPath(new URL('./sandbox.trial.ts', import.meta.url));
  const { command, args, user } = nodeAs(other, directory, (at) => [at(program), rootfs]);
  const trial = spawnSync(command, args, { ...user, encoding: 'utf8', env: {} });
  expect(trial.status, trial.stderr).toBe(0);
  const results = JSON.parse(trial.stdout) as Record<string, unknown>;
  for (const [tier, inside] of [
    ['oci', '0'],
    ['bubblewrap', '1000'],
    ['unshare', '1000'],
  ] as const) {
    if (missing.includes(tier)) expect(results[tier]).toBe('absent');
    else expect(results[tier]).toMatchObject({ code: 0, uid: inside, exec: 5, seen: OWN_DIRECTORY_ALONE });
  }
  expect(results['host']).toMatchObject({ code: 0, uid: '65534', exec: 5 });
});
