/** Finds the npm that came with this machine's Node, and those of its settings that builds may use: addresses, never secrets. */
import { execFile } from 'node:child_process';
import { access, readFile, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { textAt } from '@slipway/foundation/text-at.ts';

import { buildRejection } from './build-rejection.ts';

const run = promisify(execFile);

export interface NpmProgram {
  /** The package's directory; its program is `bin/npm-cli.js`. */
  readonly folder: string;
  /** Entries for a `.npmrc`, without the certificate file. */
  readonly settings: Readonly<Record<string, string>>;
  /** Certificate authorities that this machine trusts in addition to Node's own. */
  readonly caFile: string | undefined;
}

const CLI = 'bin/npm-cli.js';
/** Settings that a build needs to reach the package registry. They contain no tokens or passwords. */
const PASSED_ON = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const candidates = async (): Promise<string[]> => {
  const fromRunner = process.env['npm_execpath'];
  const found = fromRunner?.endsWith('npm-cli.js') ? [dirname(dirname(fromRunner))] : [];
  const folders = [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(delimiter).filter((path) => path.startsWith('/'))];
  for (const folder of folders) {
    const link = await realpath(join(folder, 'npm')).catch(() => undefined);
    if (link?.endsWith('npm-cli.js')) found.push(dirname(dirname(link)));
    found.push(join(folder, '../lib/node_modules/npm'));
  }
  return found;
};

/** `https://user:secret@host/` → `https://host/`. */
const withoutCredentials = (value: string): string => {
  if (!URL.canParse(value)) return value;
  const url = new URL(value);
  url.username = '';
  url.password = '';
  return url.href;
};

const readSettings = async (folder: string): Promise<Readonly<Record<string, unknown>>> => {
  // Runs in the root directory: a `.npmrc` next to the server applies to the server, not to builds.
  const { stdout } = await run(process.execPath, [join(folder, CLI), 'config', 'list', '--json'], { cwd: '/', timeout: 20_000 });
  const settings: unknown = JSON.parse(stdout);
  return isRecord(settings) ? settings : {};
};

/** Rejects with `BuildDependenciesFailed` if this machine has no npm. */
export const findNpm = async (): Promise<NpmProgram> => {
  for (const candidate of await candidates()) {
    if (!(await exists(join(candidate, CLI)))) continue;
    const folder = await realpath(candidate);
    const all = await readSettings(folder);
    const settings = PASSED_ON.flatMap((name): [string, string][] => {
      const value = all[name];
      if (typeof value === 'boolean') return [[name, String(value)]];
      return typeof value === 'string' && value !== '' ? [[name, withoutCredentials(value)]] : [];
    });
    const caFile = [all['cafile'], process.env['NODE_EXTRA_CA_CERTS']].find(
      (path): path is string => typeof path === 'string' && path !== '',
    );
    return { folder, settings: Object.fromEntries(settings), caFile: caFile && (await realpath(caFile).catch(() => undefined)) };
  }
  throw buildRejection('BuildDependenciesFailed', 'This machine has no npm, so that no dependencies can be installed.');
};

/** Returns npm's version, for the key of cached dependencies. */
export const npmVersion = async ({ folder }: NpmProgram): Promise<string> =>
  textAt(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')), 'version') ?? '';
