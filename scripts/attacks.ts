/**
 * The attacks on the platform, as tests: `npm run test:attacks`, all or those named. With `--as-user` root runs them as an ordinary user of
 * the machine, as most people run the platform; unless named, those on the sandbox. Where that cannot be done it says so, and passes.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'as-user': { type: 'boolean', default: false } } });
const root = resolve(import.meta.dirname, '..');
const attacks = 'packages/server/src/testing/attacks';
/** Nobody's: neither a person's nor a service's, and no user that the platform gives to anything. */
const USER = 61_900;

/**
 * In a mount namespace of its own: the checkout in a place that the user can reach, as root's home is not, and a table of users that knows
 * him, since PostgreSQL asks for a name. Then everything of root's is given up.
 */
const AS_USER = [
  'mount --bind "$1" "$2/checkout"',
  'mount --bind "$2/passwd" /etc/passwd',
  'cd "$2/checkout"',
  `exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --inh-caps=-all "\${@:3}"`,
].join(' && ');

const vitest = (...more: readonly string[]): string[] => ['node_modules/vitest/vitest.mjs', 'run', ...more];

const asUser = (named: readonly string[]): number => {
  const place = mkdtempSync(join(tmpdir(), 'slipway-as-user-'));
  const [checkout, home, temporary] = [join(place, 'checkout'), join(place, 'home'), join(place, 'tmp')];
  const node = process.execPath.startsWith(`${root}/`) ? join(checkout, relative(root, process.execPath)) : process.execPath;
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, TMPDIR: temporary };
  const run = (command: readonly string[], stdio: 'inherit' | 'ignore') =>
    spawnSync('unshare', ['--mount', '--propagation', 'private', 'bash', '-c', AS_USER, 'as-user', root, place, ...command], { stdio, env })
      .status ?? 1;
  try {
    chmodSync(place, 0o755);
    for (const directory of [checkout, home, temporary]) mkdirSync(directory);
    for (const directory of [home, temporary]) chownSync(directory, USER, USER);
    writeFileSync(join(place, 'passwd'), `${readFileSync('/etc/passwd', 'utf8')}slipway-attacks:x:${USER}:${USER}::${home}:/bin/sh\n`);
    if (run([node, '--version'], 'ignore') !== 0) return skipped('Node cannot be run from this checkout as another user of the machine.');
    // What vitest would write into node_modules, which is not the user's.
    return run([node, ...vitest('--configLoader', 'native', '--fsModuleCachePath', join(temporary, 'cache'), ...named)], 'inherit');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const skipped = (why: string): number => {
  process.stdout.write(`\nNO ATTACKS WITHOUT ROOT: they were skipped. ${why}\n\n`);
  return 0;
};

const named = positionals.map((name) => `${attacks}/${name}`);
if (!values['as-user'] || (process.getuid?.() ?? 0) !== 0)
  process.exitCode =
    spawnSync(process.execPath, vitest(...(named.length > 0 ? named : [attacks])), { cwd: root, stdio: 'inherit' }).status ?? 1;
else if (process.platform !== 'linux') process.exitCode = skipped('They need Linux.');
else process.exitCode = asUser(named.length > 0 ? named : [`${attacks}/sandbox`]);
