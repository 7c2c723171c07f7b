/**
 * The attacks on the platform, as tests: `npm run test:attacks`, all or those named. `sandbox` includes the suite of the sandbox itself. With
 * `--as-user` root runs them as an ordinary user of the machine, as most people run the platform; by default only `sandbox`. crun and
 * bubblewrap are shown to the attacks alone. The last line counts the tests; a tier that is missing counts as skipped.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { missingTiers, sandboxTools } from './test-runs/sandbox-tools.ts';
import { finish, inFolder, none, vitest, type Count } from './test-runs/test-count.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'as-user': { type: 'boolean', default: false } } });
const root = resolve(import.meta.dirname, '..');
const attacks = 'packages/server/src/testing/attacks';
const onSandbox = [`${attacks}/sandbox`, 'engines/runtime/src/sandbox/sandbox.test.ts'];
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

const asUser = async (named: readonly string[], tools: readonly string[]): Promise<Count> => {
  const place = mkdtempSync(join(tmpdir(), 'slipway-as-user-'));
  const [checkout, home, temporary] = [join(place, 'checkout'), join(place, 'home'), join(place, 'tmp')];
  const node = process.execPath.startsWith(`${root}/`) ? join(checkout, relative(root, process.execPath)) : process.execPath;
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, TMPDIR: temporary };
  const words = (command: readonly string[]): readonly string[] => {
    const inPlace = ['unshare', '--mount', '--propagation', 'private', 'bash', '-c', AS_USER, 'as-user', root, place, ...command];
    return ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...tools, ...inPlace];
  };
  try {
    chmodSync(place, 0o755);
    for (const directory of [checkout, home, temporary]) mkdirSync(directory);
    for (const directory of [home, temporary]) chownSync(directory, USER, USER);
    writeFileSync(join(place, 'passwd'), `${readFileSync('/etc/passwd', 'utf8')}slipway-attacks:x:${USER}:${USER}::${home}:/bin/sh\n`);
    const [first = '', ...trial] = words([node, '--version']);
    if (spawnSync(first, trial, { stdio: 'ignore' }).status !== 0)
      return skipped('Node cannot be run from this checkout as another user of the machine.');
    // By default vitest writes into node_modules, which is not the user's.
    const own = ['--configLoader', 'native', '--fsModuleCachePath', join(temporary, 'cache')];
    return await vitest(temporary, named, {}, (args) => words([node, 'node_modules/vitest/vitest.mjs', ...args, ...own]));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const skipped = (why: string): Count => {
  process.stdout.write(`\nNO ATTACKS WITHOUT ROOT: they were skipped. ${why}\n\n`);
  return { ...none, skipped: 1 };
};

const attacked = async (files: readonly string[], tools: readonly string[]): Promise<Count> => {
  if (!values['as-user'] || process.getuid?.() !== 0)
    return inFolder((folder) =>
      vitest(folder, files, {}, (args) => [...tools, process.execPath, 'node_modules/vitest/vitest.mjs', ...args]),
    );
  return process.platform === 'linux' ? asUser(files, tools) : skipped('They need Linux.');
};

process.chdir(root);
const everything = values['as-user'] ? onSandbox : [attacks, ...onSandbox];
const files = positionals.flatMap((name) => (name === 'sandbox' ? onSandbox : [`${attacks}/${name}`]));
const tools = sandboxTools();
const missing = missingTiers(tools);
const count = await attacked(files.length > 0 ? files : everything, tools);
if (missing.length > 0) process.stdout.write(`NOT ATTACKED: ${missing.join(', ')}. This machine has no program for it.\n`);
finish([count]);
