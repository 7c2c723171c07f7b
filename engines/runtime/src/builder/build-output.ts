/** Collects a build's output as contents of layers. The output is untrusted: no link is followed, and only regular files are opened. */
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';

import type { LayerSource } from '@slipway/images/oci/layer-writer.ts';

import { buildRejection } from './build-rejection.ts';
import type { BuildLog } from './log-lines.ts';

const LEFT_OUT = new Set(['.git']);
const DEPENDENCIES = 'node_modules';
const APP = 'app';

export interface BuildOutput {
  /** Everything below any `node_modules`. */
  readonly dependencies: readonly LayerSource[];
  readonly program: readonly LayerSource[];
}

/** Rejects relative links that leave the image. Absolute links start at the image's root. */
const checkLink = (path: string, target: string): void => {
  if (target.startsWith('/') || !posix.join(posix.dirname(path), target).startsWith('..')) return;
  throw buildRejection('BuildOutputInvalid', `a link leads out of the image, ${path} → ${target.slice(0, 100)}`);
};

/** Collects the output. Call only after all of the build's processes have ended. */
export const collectOutput = async (app: string, log: BuildLog): Promise<BuildOutput> => {
  const dependencies: LayerSource[] = [];
  const program: LayerSource[] = [];
  const skipped: string[] = [];
  const walk = async (folder: string, isDependency: boolean): Promise<void> => {
    for (const name of (await readdir(join(app, folder))).toSorted()) {
      const path = posix.join(folder, name);
      if (LEFT_OUT.has(name)) continue;
      const file = join(app, path);
      const info = await lstat(file);
      const inImage = posix.join(APP, path);
      const isBelow = isDependency || name === DEPENDENCIES;
      const target = isBelow ? dependencies : program;
      if (info.isDirectory()) {
        target.push({ kind: 'directory', path: inImage });
        await walk(path, isBelow);
      } else if (info.isSymbolicLink()) {
        const link = await readlink(file);
        checkLink(inImage, link);
        target.push({ kind: 'symlink', path: inImage, target: link });
      } else if (info.isFile()) {
        target.push({ kind: 'file', path: inImage, isExecutable: (info.mode & 0o100) !== 0, content: { file } });
      } else skipped.push(path);
    }
  };
  await walk('', false);
  if (skipped.length > 0) log.say(`Left out, because an image cannot hold them: ${skipped.slice(0, 5).join(', ')}`);
  return { dependencies, program };
};
