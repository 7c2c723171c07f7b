// Prepares a fresh clone, on whatever Node the machine has: installs what is missing or stale, and builds the console when its sources changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const state = join(root, 'node_modules/.slipway');
const purpose = process.argv[2];

const run = (command, args, what) => {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`${what} failed${error ? `: ${error.message}` : ''}`);
  process.exit(1);
};

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));

const hashOf = (paths) => {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path));
  return hash.digest('hex');
};

const isCurrent = (name, hash) => existsSync(join(state, name)) && readFileSync(join(state, name), 'utf8') === hash;
const remember = (name, hash) => {
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, name), hash);
};

const lock = hashOf([
  join(root, 'package-lock.json'),
  ...['package.json', 'packages', 'engines', 'e2e', 'bench'].flatMap((name) => manifests(name)),
]);
function manifests(name) {
  const path = join(root, name);
  if (name.endsWith('.json')) return [path];
  const own = join(path, 'package.json');
  return existsSync(own)
    ? [own]
    : readdirSync(path)
        .map((item) => join(path, item, 'package.json'))
        .filter((item) => existsSync(item));
}
if (!isCurrent('installed', lock)) {
  console.log('Installing dependencies…');
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], 'npm ci');
  remember('installed', lock);
}

/** Node 24 of the lock file where there is one for this platform, else the machine's own when it is new enough. */
function nodeOf() {
  const pinned = join(root, 'node_modules/.bin/node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  console.error(`Slipway needs Node 24 or newer; this is ${process.versions.node}, and there is no package of it for this platform.`);
  return process.exit(1);
}

if (purpose !== 'check' && purpose !== 'slipway') {
  const sources = ['packages/console', 'packages/ui', 'packages/contract'].flatMap((name) => files(join(root, name)));
  const hash = hashOf(sources);
  if (!isCurrent('console', hash) || !existsSync(join(root, 'packages/console/dist/index.html'))) {
    console.log('Building the console…');
    run(
      nodeOf(),
      [join(root, 'node_modules/vite/bin/vite.js'), 'build', 'packages/console', '--logLevel=warn'],
      'The build of the console',
    );
    remember('console', hash);
  }
}
