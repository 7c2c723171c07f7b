/**
 * The file system that a build's commands see: the machine's own programs, read-only; Node and npm; and the source at `/app`, owned by the
 * build's user. Nothing else of the machine.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { chmod, lchown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { networkFiles } from '../sandbox/network/network-files.ts';
import { hostUid } from '../sandbox/host-uid.ts';
import type { Sandbox, SandboxBind, SandboxCommand } from '../sandbox/sandbox.ts';
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';

import { buildEgress } from './build-egress.ts';
import type { NpmProgram } from './npm-program.ts';

const MACHINE_DIRECTORIES = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'nix'];
const MACHINE_FILES = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/ssl/certs'];
const CA_FILE = '/etc/slipway-ca.pem';
const NODE_FOLDER = '/opt/node/bin';
const NPM_FOLDER = '/opt/npm';
const SOURCE_FOLDER = '/app';
const HOME_FOLDER = '/home';
/** Includes mount points, so that nothing else creates them with other permissions. */
const FOLDERS = ['etc', 'etc/ssl', 'proc', 'dev', 'tmp', 'opt', 'opt/node', 'opt/node/bin', 'opt/npm'];

export interface BuildRoom {
  /** Directories of this machine that the build writes to. */
  readonly app: string;
  readonly home: string;
  /** Returns a command that runs in the room, e.g. `npm(['ci'])`. */
  npm(args: readonly string[]): Omit<SandboxCommand, 'id' | 'limits'>;
}

/** Provides the machine's own program directories: mounted, or linked like on the machine (`/bin` → `usr/bin`). */
const showMachine = async (root: string, sandbox: Sandbox): Promise<SandboxBind[]> => {
  const binds: SandboxBind[] = [];
  for (const name of MACHINE_DIRECTORIES.filter((path) => existsSync(`/${path}`))) {
    if (lstatSync(`/${name}`).isSymbolicLink()) await symlink(readlinkSync(`/${name}`), join(root, name));
    else binds.push({ source: `/${name}`, target: `/${name}`, isReadOnly: true });
  }
  for (const path of MACHINE_FILES.filter((file) => existsSync(file))) binds.push({ source: path, target: path, isReadOnly: true });
  return [...binds, ...networkFiles(sandbox)];
};

const npmrc = ({ settings }: NpmProgram, caFile: string | undefined): string =>
  Object.entries({ ...settings, ...(caFile === undefined ? {} : { cafile: caFile }) })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const writeSource = async (app: string, files: Iterable<SourceFile>, give: (path: string) => Promise<void>): Promise<void> => {
  const folders = new Set<string>();
  for (const { path, content, isExecutable } of files) {
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    await mkdir(dirname(join(app, path)), { recursive: true });
    await writeFile(join(app, path), content, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 });
    await give(join(app, path));
  }
  for (const folder of folders) await give(join(app, folder));
};

interface RoomOptions {
  /** A new directory. The caller removes it. */
  readonly root: string;
  readonly buildId: string;
  readonly sandbox: Sandbox;
  readonly files: Iterable<SourceFile>;
  readonly npm: NpmProgram;
  readonly insideHosts?: readonly string[] | undefined;
}

/** Returns the key of a build's user on this machine. */
export const buildUser = (buildId: string): string => `build/${buildId}`;

/** Creates the room in `root`. */
export const layOutRoom = async ({ root, buildId, sandbox, files, npm, insideHosts = [] }: RoomOptions): Promise<BuildRoom> => {
  const uid = hostUid(buildUser(buildId));
  const give = async (path: string): Promise<void> => {
    if (sandbox.isUidUsed) await lchown(path, uid, uid);
  };
  const [app, home] = [join(root, SOURCE_FOLDER), join(root, HOME_FOLDER)];
  await mkdir(root, { recursive: true });
  // The server's umask may exclude other users, and the build's user is one of them.
  for (const folder of ['', ...FOLDERS, SOURCE_FOLDER, HOME_FOLDER]) {
    await mkdir(join(root, folder), { recursive: true });
    await chmod(join(root, folder), 0o755);
  }
  const isHost = sandbox.tier === 'host';
  const egress = sandbox.hasNetworks ? buildEgress(npm, insideHosts) : undefined;
  const binds = isHost ? [] : await showMachine(root, sandbox);
  const caFile = npm.caFile === undefined || isHost ? npm.caFile : CA_FILE;
  if (npm.caFile !== undefined) binds.push({ source: npm.caFile, target: CA_FILE, isReadOnly: true });
  binds.push({ source: process.execPath, target: join(NODE_FOLDER, 'node'), isReadOnly: true });
  binds.push({ source: npm.folder, target: NPM_FOLDER, isReadOnly: true });
  // With namespaces the build runs as user 1000, without them as a user of the machine. Some programs look up the name.
  await writeFile(
    join(root, 'etc/passwd'),
    `root:x:0:0::/:/bin/sh\nbuild:x:${uid}:${uid}::/home:/bin/sh\nnode:x:1000:1000::/home:/bin/sh\n`,
  );
  await writeFile(join(root, 'etc/group'), `root:x:0:\nbuild:x:${uid}:\nnode:x:1000:\n`);
  for (const file of ['passwd', 'group']) await chmod(join(root, 'etc', file), 0o644);
  await writeFile(join(home, '.npmrc'), npmrc({ ...npm, settings: { ...npm.settings, ...egress?.settings } }, caFile));
  await writeSource(app, files, give);
  for (const path of [app, home, join(home, '.npmrc')]) await give(path);

  const nodeFolder = isHost ? dirname(process.execPath) : NODE_FOLDER;
  const homeInside = isHost ? home : HOME_FOLDER;
  const env = {
    PATH: `${nodeFolder}:/usr/local/bin:/usr/bin:/bin`,
    HOME: homeInside,
    LANG: 'C.UTF-8',
    CI: 'true',
    npm_config_cache: `${homeInside}/cache`,
    ...(caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: caFile }),
    ...egress?.env,
  };
  const cli = join(isHost ? npm.folder : NPM_FOLDER, 'bin/npm-cli.js');
  const command = (args: readonly string[]) => [join(nodeFolder, 'node'), cli, ...args];
  const shared = { rootfs: root, isRootWritable: true, binds, cwd: SOURCE_FOLDER, env, uid, doorways: egress?.doorways ?? [] };
  return { app, home, npm: (args) => ({ ...shared, command: command(args) }) };
};
