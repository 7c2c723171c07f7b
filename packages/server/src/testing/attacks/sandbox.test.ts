// @long: waits for limits, or starts programs
/** A foreign program tries to get out of its sandbox, on every tier that this machine offers. Each test is a way that somebody went, or the next one. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeNodeRoot } from '@slipway/runtime/local/node-root.fixture.ts';
import { hostUid } from '@slipway/runtime/sandbox/host-uid.ts';
import { launcherFiles } from '@slipway/runtime/sandbox/launcher-files.ts';
import { childOf } from '@slipway/runtime/sandbox/process-tree.ts';
import { answersOf, listing, NUMBERS, staticProgram, type Call } from '@slipway/runtime/sandbox/static-program.fixture.ts';
import { tiersOf, until } from '@slipway/runtime/sandbox/sandbox.fixture.ts';
import type { Sandbox, SandboxBind, SandboxCommand, SandboxExit } from '@slipway/runtime/sandbox/sandbox.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { forbiddenCalls, type CallResult } from './forbidden-calls.fixture.ts';
import { translations } from './translations.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-attack-'));
chmodSync(directory, 0o755);
const uid = hostUid('attack-test');
const [EPERM, ENOSYS, ENOTTY] = [1, 38, 25];
const isRoot = process.getuid?.() === 0;
const MARK = 'this-came-from-the-image';
/** A fiftieth of a second, as `struct timespec`. */
const pause: Call = [NUMBERS.nanosleep, '\0\0\0\0\0\0\0\0\0\x2d\x31\x01\0\0\0\0'];
let commands = 0;
let images = 0;

/** An image of its own for each attack, with what the attacker puts into it. */
function image(prepare: (rootfs: string) => void = () => {}): string {
  const rootfs = join(directory, `image-${++images}`);
  mkdirSync(rootfs);
  makeNodeRoot(rootfs, '');
  prepare(rootfs);
  return rootfs;
}

/** The sandbox's program with the library for system calls beside it. */
const tools = (): SandboxBind => ({ source: join(launcherFiles(), 'node_modules'), target: '/probe/node_modules', isReadOnly: true });

async function run(sandbox: Sandbox, source: string, change: Partial<SandboxCommand> = {}): Promise<SandboxExit & { output: string }> {
  const running = sandbox.spawn({
    id: `attack-${process.pid}-${++commands}`,
    rootfs: change.rootfs ?? image(),
    binds: [],
    command: ['/usr/local/bin/node', '-e', source],
    cwd: '/app',
    env: {},
    uid,
    ...change,
  });
  let output = '';
  for (const stream of [running.child.stdout, running.child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const closed = new Promise((resolve) => running.child.once('close', resolve));
  const exit = await running.exited;
  await closed;
  return { ...exit, output };
}

async function answer<T>(sandbox: Sandbox, expression: string, change: Partial<SandboxCommand> = {}): Promise<T> {
  const source = `
    const fs = require('fs'), net = require('net');
    const attempt = (f) => { try { return String(f() ?? 'worked'); } catch (e) { return e.code; } };
    const reach = (where) => new Promise((done) => net.connect(where, () => done('worked')).on('error', (e) => done(e.code)));
    Promise.resolve(${expression}).then((value) => console.log(JSON.stringify(value)));`;
  const { output } = await run(sandbox, source, change);
  try {
    return JSON.parse(output) as T;
  } catch {
    throw new Error(`The program said: ${output}`);
  }
}

const { offered, missing } = await tiersOf(['oci', 'bubblewrap', 'unshare']);
test.skip.each(missing)('this machine does not offer the tier %s', () => {});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('this machine has a tier to attack', () => {
  expect(offered.length).toBeGreaterThan(0);
});

describe.each(offered)('$tier', ({ sandbox }) => {
  describe('mounts that lead out', () => {
    const secret = join(directory, 'secret');
    beforeAll(() => {
      mkdirSync(secret, { recursive: true });
      // Any program of the machine that met this file would complain of it.
      writeFileSync(join(secret, 'ld.so.preload'), '/nowhere/evil.so\n');
    });
    const links = {
      '/cfg': '/proc/1/root/etc',
      '/here': '/proc/self/cwd',
      '/up': '../../../../..',
      '/top': '/',
      '/kernel': '/proc',
      '/scratch': '/tmp/x',
      '/devices': 'dev',
    };

    test.each([
      '/',
      '/proc',
      '/proc/1/root/etc',
      '/proc/self/root',
      '/proc/self/fd/3',
      '/proc/sys/kernel',
      '/dev',
      '/dev/shm',
      '/dev/x',
      '/sys',
      '/sys/kernel',
      '/tmp',
      '/tmp/x',
      '/a/../proc/1/root/etc',
      '//proc//1/root',
      ...Object.keys(links).flatMap((link) => [link, `${link}/etc`]),
    ])('%s', async (target) => {
      const rootfs = image((root) => {
        for (const [link, to] of Object.entries(links)) symlinkSync(to, join(root, link));
      });
      const attempt = async (): Promise<string> => {
        const { output } = await run(sandbox, 'console.log(require("fs").readFileSync("/etc/ld.so.preload"))', {
          rootfs,
          binds: [{ source: secret, target, isReadOnly: true }],
        });
        return output;
      };
      // `/up/etc` is the image's own /etc, as /etc itself would be: allowed, and of no use.
      const said = await attempt().catch((error: unknown) => String(error));
      if (target === '/up/etc' || target === '/top/etc') expect(said.match(/evil\.so/g)?.length ?? 0).toBeLessThanOrEqual(1);
      else expect(said).toMatch(/belongs to the sandbox|Nothing can be mounted|could not be set up/);
      if (target !== '/up/etc' && target !== '/top/etc') expect(said).not.toContain('cannot be preloaded');
    });

    test('an image whose own mount points are links to its root or away', async () => {
      for (const [name, to] of [
        ['proc', '/'],
        ['tmp', '/'],
        ['dev', '../..'],
      ] as const) {
        const rootfs = image((root) => {
          rmSync(join(root, name), { recursive: true });
          symlinkSync(to, join(root, name));
        });
        await expect(run(sandbox, '', { rootfs }).then(({ code }) => Promise.reject(new Error(`code ${code}`)))).rejects.toThrow(
          /link to its root|code 125/,
        );
      }
    });
  });

  describe('programs of the machine under the image’s influence', () => {
    test('a working directory that is hidden, with a translated message of the C library', async () => {
      const rootfs = image((root) => {
        const locale = join(root, 'usr/share/locale/xx/LC_MESSAGES');
        mkdirSync(locale, { recursive: true });
        for (const domain of ['libc', 'util-linux', 'coreutils'])
          writeFileSync(
            join(locale, `${domain}.mo`),
            translations({ 'No such file or directory': MARK, 'cannot change directory to %s': MARK }),
          );
        mkdirSync(join(root, 'tmp/nowhere'));
      });
      const env = { LANGUAGE: 'xx', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8', LC_MESSAGES: 'C.UTF-8', TEXTDOMAINDIR: '/usr/share/locale' };
      const { code, output } = await run(sandbox, 'console.log("ran")', { rootfs, cwd: '/tmp/nowhere', env });
      // OCI runtimes make the directory; whoever does not, must not say so in the image's words.
      if (sandbox.tier !== 'oci') expect(code).not.toBe(0);
      expect(output).not.toContain(MARK);
    });

    test
      .runIf(process.arch === 'x64')
      .each([
        '/proc',
        '/proc/1/root',
        '/proc/1/cwd',
        '/proc/3/cwd',
        '/proc/self/root',
        '/proc/thread-self/root/usr',
        '/proc/self/fd/3',
        '/app/../proc/1/root',
        '/dev/shm',
        '/sys',
        '/out',
        '/out/usr',
        '/far',
        '/bound/out',
        '/bound/up',
      ])('a static program that begins at %s', async (cwd) => {
      const bound = mkdtempSync(join(directory, 'bound-'));
      chmodSync(bound, 0o755);
      symlinkSync('/proc/1/root', join(bound, 'out'));
      symlinkSync('../far', join(bound, 'up'));
      const calls: readonly Call[] = [...listing('.'), [NUMBERS.exit, 0]];
      const rootfs = image((root) => {
        symlinkSync('/proc/1/root', join(root, 'out'));
        symlinkSync('app/../out', join(root, 'far'));
        writeFileSync(join(root, 'app/static'), staticProgram(calls), { mode: 0o755 });
      });
      const binds = [{ source: bound, target: '/bound', isReadOnly: true }];
      const attempt = async (at = cwd): Promise<string> =>
        (await run(sandbox, '', { rootfs, binds, cwd: at, command: ['/app/static'] })).output;
      expect(await attempt().catch(String)).toContain(`No program can begin at ${cwd}`);
      const top = await attempt('/../../..');
      expect(top).toContain('bound');
      expect(top).not.toMatch(/launch|binds/);
    });

    test.runIf(process.arch === 'x64')('a static program that changes what it can reach, before and after further commands', async () => {
      const away = ['/proc/1/root', '/proc/1/cwd', '/proc/2/root', '/proc/3/cwd'];
      const lists = ['.', ...away].flatMap(listing);
      const tries = ['..', ...away, '/proc/1/root/launch'].flatMap((place): Call[] => [
        [NUMBERS.mkdir, `${place}/made`, 0o777],
        [NUMBERS.creat, `${place}/lib64`, 0o777],
        [NUMBERS.symlink, '/app', `${place}/link`],
        [NUMBERS.link, '/app/static', `${place}/hard`],
        [NUMBERS.rename, `${place}/lib64`, `${place}/lib`],
        [NUMBERS.rename, '/app', `${place}/app`],
      ]);
      const calls = [...lists, ...tries, pause];
      const rootfs = image((root) => {
        writeFileSync(join(root, 'app/static'), staticProgram(calls), { mode: 0o755 });
        writeFileSync(join(root, 'app/once'), staticProgram([...tries, [NUMBERS.exit, 7]]), { mode: 0o755 });
      });
      const id = `attack-${process.pid}-${++commands}`;
      const running = sandbox.spawn({ id, rootfs, binds: [], command: ['/app/static'], cwd: '/app', env: {}, uid });
      const output: Buffer[] = [];
      running.child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
      const rounds = (): number => Math.floor(answersOf(calls, Buffer.concat(output)).length / calls.length);
      for (let further = 0; further < 3; further++) {
        const before = rounds();
        await until('a round', () => rounds() > before);
        expect(await running.exec(['/app/once'], PATIENCE_MS)).toMatchObject({ code: 7 });
        expect(await running.exec(['/usr/local/bin/node', '-p', '"as ever"'], PATIENCE_MS)).toMatchObject({ code: 0, output: 'as ever\n' });
      }
      const mounts = readFileSync(`/proc/${childOf(running.child.pid ?? 0)}/mountinfo`, 'utf8')
        .split('\n')
        .filter(Boolean);
      running.signal('SIGKILL');
      await running.exited;
      const answers = answersOf(calls, Buffer.concat(output));
      for (const [index, { result, shown }] of answers.entries()) {
        const at = index % calls.length;
        if (at >= lists.length) expect([calls[at], result < 0]).toEqual([calls[at], calls[at] !== pause]);
        if (at === 2) expect(shown).toContain('static');
        // Nowhere does it see the staging root; itself it may see, under any number.
        expect(shown).not.toMatch(/launch|binds/);
      }
      // Further commands begin in the root that the first process has: its loader and their launcher can be changed by nobody.
      const writable = mounts.filter((line) => /^(?:\S+ ){5}rw/.test(line)).map((line) => line.split(' ')[4]);
      const reached = writable.filter((place) => !/^\/(?:proc|state|dev\/(?:null|zero|full|random|urandom|shm))(?:\/|$)/.test(place ?? ''));
      expect(reached).toEqual([]);
    });

    test('variables that loaders, shells and Node look at reach the program alone', async () => {
      const rootfs = image((root) => writeFileSync(join(root, 'loud.js'), `require('fs').writeSync(2, '${MARK}\\n')`));
      const names = [
        'LD_AUDIT',
        'GCONV_PATH',
        'LOCPATH',
        'NLSPATH',
        'BASH_ENV',
        'ENV',
        'PS4',
        'SHELLOPTS',
        'IFS',
        'TMPDIR',
        'MALLOC_CHECK_',
      ];
      const env = {
        ...Object.fromEntries(names.map((name) => [name, '/nowhere'])),
        LD_PRELOAD: '/nowhere/evil.so',
        NODE_OPTIONS: '--require=/loud.js',
      };
      const { output } = await run(sandbox, 'console.log(Object.keys(process.env).length)', { rootfs, env });
      // Once, by the program itself.
      expect(output.split(MARK)).toHaveLength(2);
      expect(output.match(/cannot be preloaded/g)).toHaveLength(1);
    });
  });

  test('system calls that act on the machine are refused', async () => {
    const results = await answer<Record<string, CallResult>>(sandbox, forbiddenCalls('/probe/node_modules/koffi'), { binds: [tools()] });
    expect(Object.keys(results).length).toBeGreaterThan(30);
    // Where the request itself is let through, there is still no terminal (ENOTTY).
    const refused = (name: string): readonly number[] => (name === 'terminalInput' ? [EPERM, ENOTTY] : [EPERM, ENOSYS]);
    const worked = Object.entries(results).filter(([name, { answer: value, errno }]) => value >= 0 || !refused(name).includes(errno));
    expect(worked).toEqual([]);
  });

  test('it has no right, no way to one, and a filter', async () => {
    const status = await answer<Record<string, string>>(
      sandbox,
      `Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(':\\t')))`,
    );
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(status[set]).toBe('0000000000000000');
    expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' });
    const own = await answer<string>(sandbox, `fs.readFileSync('/proc/self/uid_map', 'utf8')`);
    // Nobody inside is root of the machine. Without root the map leads to the namespace around it, whose root is the server's own user.
    if (!isRoot) return;
    for (const line of own.trim().split('\n')) expect(line.trim().split(/\s+/)[1]).not.toBe('0');
  });

  test('of the kernel it sees its own processes, and changes nothing', async () => {
    process.env['SLIPWAY_TEST_SECRET'] = MARK;
    const kernel = [
      'sys/kernel/core_pattern',
      'sys/kernel/modprobe',
      'sys/vm/overcommit_memory',
      'sys/net/ipv4/ip_forward',
      'sysrq-trigger',
      'irq/default_smp_affinity',
    ];
    const masked = [
      'cmdline',
      'config.gz',
      'diskstats',
      'interrupts',
      'iomem',
      'ioports',
      'modules',
      'partitions',
      'sched_debug',
      'timer_list',
    ];
    const seen = await answer<Record<string, unknown>>(
      sandbox,
      `({
        written: ${JSON.stringify(kernel)}.map((name) => attempt(() => fs.writeFileSync('/proc/' + name, '1'))),
        kallsyms: attempt(() => fs.readFileSync('/proc/kallsyms').length),
        kcore: attempt(() => fs.readFileSync('/proc/kcore').length), keys: attempt(() => fs.readFileSync('/proc/keys').length),
        own: ['/', '.'].map((name) => attempt(() => fs.readdirSync(name))),
        places: ['root', 'cwd'].map((name) => attempt(() => fs.readdirSync('/proc/1/' + name))),
        masked: ${JSON.stringify(masked)}.map((name) => name + ': ' + attempt(() => fs.readFileSync('/proc/' + name).length)),
        pressure: ['cpu', 'io', 'memory'].map((name) => attempt(() => fs.openSync('/proc/pressure/' + name, 'r+'))),
        lists: fs.readdirSync('/proc').filter(Number).map((pid) => attempt(() => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'))),
        texts: ['environ', 'mem'].map((name) => attempt(() => fs.readFileSync('/proc/1/' + name, 'utf8'))),
        server: attempt(() => fs.readFileSync('/proc/${process.pid}/cmdline')),
        killed: [${process.pid}, 1].map((pid) => attempt(() => process.kill(pid, 'SIGKILL'))), alive: fs.existsSync('/proc/1'),
        sys: fs.existsSync('/sys/kernel'), device: attempt(() => fs.readFileSync('/dev/mem')), disk: attempt(() => fs.readdirSync('/dev')),
      })`,
    );
    for (const result of seen['masked'] as string[]) expect(result).toMatch(/: (0|ENOENT|EACCES)$/);
    for (const result of seen['pressure'] as string[]) expect(result).toMatch(/^E(ROFS|ACCES|NOENT)$/);
    expect(seen['lists']).not.toEqual([]);
    // Neither where the image lies on the machine nor how its root is built.
    expect(JSON.stringify(seen['lists'])).not.toMatch(/slipway-attack-|pivot_root|mount -t/);
    for (const result of seen['written'] as string[]) expect(result).toMatch(/^E(ROFS|ACCES|PERM|NOENT|INVAL|IO)$/);
    for (const name of ['kallsyms', 'kcore', 'keys']) expect(seen[name]).toMatch(/^(0|E[A-Z]+)$/);
    // bubblewrap's own first process stands where the program does.
    for (const result of seen['places'] as string[]) expect([...(seen['own'] as string[]), 'EACCES', 'EPERM']).toContain(result);
    for (const result of seen['texts'] as string[]) expect(result).not.toContain(MARK);
    expect(seen).toMatchObject({ server: 'ENOENT', alive: true, sys: false, device: 'ENOENT' });
    expect(String((seen['killed'] as string[])[0])).toBe('ESRCH');
    expect(String(seen['disk']).split(',').toSorted()).toEqual(
      ['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero'].toSorted(),
    );
  });

  test('descriptors of whoever started the server are not handed down', async () => {
    const leak = join(directory, 'leak');
    const holder = fileURLToPath(new URL('./inherited-descriptor.fixture.ts', import.meta.url));
    const stdio = Array.from({ length: 252 }, (): 'ignore' | number => 'ignore');
    stdio[251] = openSync(leak, 'w');
    const program = spawn(process.execPath, [holder, sandbox.tier, image()], { stdio: ['ignore', 'pipe', 'inherit', ...stdio.slice(3)] });
    let output = '';
    program.stdout?.on('data', (chunk) => (output += String(chunk)));
    await new Promise((resolve) => program.once('close', resolve));
    expect(output).toContain('0 /dev/null');
    expect(output).not.toContain('leak');
  });

  describe.runIf(sandbox.hasNetworks)('the network', () => {
    let server: Server;
    let hidden: Server;
    beforeAll(async () => {
      const listen = (target: Server, where: object): Promise<void> => new Promise((resolve) => target.listen(where, resolve));
      [server, hidden] = [createServer((socket) => socket.end(MARK)), createServer((socket) => socket.end(MARK))];
      await listen(server, { port: 0, host: '0.0.0.0' });
      await listen(hidden, { path: `\0slipway-attack-${process.pid}` });
    });
    afterAll(() => {
      server.close();
      hidden.close();
    });

    test('nothing of this machine is in reach, by any of its addresses, nor by sockets without a path', async () => {
      const { port } = server.address() as AddressInfo;
      const addresses = Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
      const tried = [...new Set(['127.0.0.1', 'localhost', '::1', '0.0.0.0', '169.254.169.254', ...addresses])];
      const results = await answer<string[]>(
        sandbox,
        `Promise.all(${JSON.stringify(tried)}.map((host) => reach({ host, port: ${port} })))`,
      );
      expect(results).not.toContain('worked');
      expect(await answer<string>(sandbox, `reach({ path: '\\0slipway-attack-${process.pid}' })`)).not.toBe('worked');
      expect(await answer<string>(sandbox, `fs.readFileSync('/proc/net/tcp', 'utf8')`)).not.toContain(
        port.toString(16).toUpperCase().padStart(4, '0'),
      );
      expect(await answer<string[]>(sandbox, `Object.keys(require('os').networkInterfaces())`)).toEqual(['lo']);
    });

    test('what it listens on is nobody’s but its own, every port of it', async () => {
      const { port } = server.address() as AddressInfo;
      const source = `const net = require('net'); let open = 0;
        for (const port of [${port}, 80, 20000, 31999]) net.createServer((s) => s.end('stolen')).listen(port, '127.0.0.1', () => { if (++open === 4) console.log('up'); });`;
      const running = sandbox.spawn({
        id: `attack-${process.pid}-${++commands}`,
        rootfs: image(),
        binds: [],
        command: ['/usr/local/bin/node', '-e', source],
        cwd: '/app',
        env: {},
        uid,
      });
      await new Promise((resolve) => running.child.stdout.once('data', resolve));
      const read = (socket: ReturnType<typeof running.connect>): Promise<string> =>
        new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))).once('error', (error) => resolve(error.message)));
      // The server reaches it, and everybody else the machine's own listener of that number.
      expect(await read(running.connect(port))).toBe('stolen');
      const { connect } = await import('node:net');
      expect(await read(connect(port, '127.0.0.1'))).toBe(MARK);
      running.signal('SIGKILL');
      await running.exited;
    });

    test('a doorway leads where it is meant to, and is the only one', async () => {
      const results = await answer<string[]>(sandbox, `Promise.all([4080, 4081].map((port) => reach({ host: '127.0.0.1', port })))`, {
        doorways: [{ port: 4080, server: () => createServer((socket) => socket.end(MARK)) }],
      });
      expect(results).toEqual(['worked', 'ECONNREFUSED']);
    });
  });

  test('on the machine, none of its processes is root but the one that waits outside', async () => {
    const running = sandbox.spawn({
      id: `attack-${process.pid}-${++commands}`,
      rootfs: image(),
      binds: [],
      command: ['/usr/local/bin/node', '-e', 'console.log("up"); setInterval(() => {}, 1000)'],
      cwd: '/app',
      env: {},
      uid,
    });
    await new Promise((resolve) => running.child.stdout.once('data', resolve));
    const inside = running.processes().filter((pid) => pid !== running.child.pid);
    const users = inside.flatMap(
      (pid) =>
        /^Uid:\t(.*)$/m
          .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
          ?.split('\t')
          .map(Number) ?? [],
    );
    expect(users.length).toBeGreaterThan(0);
    for (const user of users) {
      if (isRoot) expect(user).toBeGreaterThanOrEqual(uid);
      else expect(user).toBe(process.getuid?.());
    }
    running.signal('SIGKILL');
    await running.exited;
  });
});
