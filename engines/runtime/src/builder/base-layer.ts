/** The base layer: this machine's own Node with the shared libraries it needs, and the few files that a C library expects. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { errorCode } from '@slipway/foundation/caught.ts';
import type { LayerSource } from '@slipway/images/oci/layer-writer.ts';

const run = promisify(execFile);

export const nodeInImage = '/usr/local/bin/node';
/** Raise it when the content below changes, so that machines replace the old layer. */
const LAYOUT = 2;
/** Loaded dynamically, so ldd does not list them. Newer C libraries have them built in. */
const NAME_SERVICE = /^lib(nss_dns|nss_files|resolv)\.so\.\d+$/;

const text = (path: string, content: string): LayerSource => ({ kind: 'file', path, isExecutable: false, content: Buffer.from(content) });
const folder = (path: string): LayerSource => ({ kind: 'directory', path });

const fixedSources: readonly LayerSource[] = [
  ...['app', 'dev', 'etc', 'proc', 'run', 'sys', 'tmp', 'usr/bin'].map(folder),
  text('etc/passwd', 'root:x:0:0::/:/sbin/nologin\nnode:x:1000:1000::/app:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n'),
  text('etc/group', 'root:x:0:\nnode:x:1000:\nnogroup:x:65534:\n'),
  text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  text('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
];

const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
/** Lists the shared libraries of a program. Slipway's own image has no ldd: glibc's loader itself lists them there. */
const librariesOf = async (program: string): Promise<string> => {
  try {
    return (await run('ldd', [program], { env })).stdout;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return (await run(program, [], { env: { ...env, LD_TRACE_LOADED_OBJECTS: '1' } })).stdout;
  }
};

/** Maps paths in the image to files on this machine. */
const libraries = async (program: string): Promise<Map<string, string>> => {
  const stdout = await librariesOf(program);
  const paths = stdout.split('\n').flatMap((line) => /(?:=>\s*|^\s*)(\/\S+) \(/.exec(line)?.[1] ?? []);
  const main = paths.find((path) => /\/libc\.so/.test(path));
  const beside = main === undefined ? [] : (await readdir(dirname(main))).filter((name) => NAME_SERVICE.test(name));
  return new Map([...paths, ...beside.map((name) => join(dirname(main ?? ''), name))].map((path) => [path, path]));
};

export interface BaseContents {
  readonly sources: readonly LayerSource[];
  /** Paths of the shared libraries and the other programs, the same in the image as on this machine. */
  readonly libraries: readonly string[];
  /** Changes whenever a file of the layer does. Cheaper than hashing all of it. */
  readonly key: string;
}

/**
 * On other systems than Linux the layer has no Node: images built there run only on that machine, whose runtime substitutes its own Node.
 * `others` are absolute paths of more programs of this machine, which have the same path in the image.
 */
export const baseContents = async (program = process.execPath, others: readonly string[] = []): Promise<BaseContents> => {
  const files = new Map<string, string>();
  if (process.platform === 'linux') {
    for (const each of [program, ...others]) for (const [path, file] of await libraries(each)) files.set(path, file);
    for (const other of others) files.set(other, other);
    files.set(nodeInImage, program);
  }
  const key = createHash('sha256').update(`${LAYOUT} ${process.platform} ${process.arch} ${process.version}`);
  const sources: LayerSource[] = [...fixedSources];
  for (const [path, link] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const file = await realpath(link);
    const { size, mtimeMs } = await stat(file);
    key.update(`\n${path} ${file} ${size} ${mtimeMs}`);
    sources.push({ kind: 'file', path: path.slice(1), isExecutable: true, content: { file } });
  }
  const needed = [...files.keys()].filter((path) => path !== nodeInImage);
  return { sources, libraries: needed, key: key.digest('hex') };
};
