/** Plans how a source tree becomes an image, by the conventions of package.json: what to install, build and start. */
import { posix } from 'node:path';
import { z } from 'zod';

import type { SourceFile } from '@slipway/foundation/ports/builder.ts';

import { buildRejection } from './build-rejection.ts';

export interface BuildPlan {
  /** Arguments of `node`, e.g. `['--enable-source-maps', 'src/main.js']`. */
  readonly start: readonly string[];
  /** A note for the log on how `start` was found. */
  readonly startRemark: string | undefined;
  /** `production` skips development dependencies. `all` installs them for a build script and prunes them afterwards. */
  readonly install: 'none' | 'production' | 'all';
  readonly hasBuildScript: boolean;
}

const versions = z.record(z.string(), z.string()).optional();
const PackageJson = z.object({
  main: z.string().optional(),
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: versions,
  optionalDependencies: versions,
  devDependencies: versions,
});
type PackageJson = z.infer<typeof PackageJson>;

const LOCK_FILES = ['package-lock.json', 'npm-shrinkwrap.json'];
const USUAL_PROGRAMS = ['server.js', 'index.js'];
/** Shell syntax. The image has no shell. */
const SHELL_CHARACTERS = /[|&;<>()$`\\*?[\]#~!{}\n]/;

const readPackage = (tree: ReadonlyMap<string, SourceFile>): PackageJson => {
  const file = tree.get('package.json');
  if (file === undefined) return {};
  try {
    return PackageJson.parse(JSON.parse(Buffer.from(file.content).toString('utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not valid JSON';
    throw buildRejection('BuildPackageInvalid', `package.json cannot be read: ${reason}`);
  }
};

/** Returns the words of a command whose only shell syntax is quotes, otherwise undefined. */
export const plainWords = (command: string): string[] | undefined => {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
  const isPlain = !SHELL_CHARACTERS.test(command) && words.every((word) => !/['"]/.test(word));
  return isPlain && words.length > 0 ? words : undefined;
};

const startOf = (tree: ReadonlyMap<string, SourceFile>, manifest: PackageJson): Pick<BuildPlan, 'start' | 'startRemark'> => {
  const script = manifest.scripts?.['start'];
  const [program, ...args] = (script === undefined ? undefined : plainWords(script)) ?? [];
  if (program === 'node' && args.length > 0) return { start: args, startRemark: undefined };
  const main = manifest.main === undefined ? undefined : posix.normalize(manifest.main);
  const found = [main, ...USUAL_PROGRAMS].find((path) => path !== undefined && tree.has(path));
  const remark = script === undefined ? undefined : `scripts.start is not a plain "node …" command, so that ${found} is started instead.`;
  if (found !== undefined) return { start: [found], startRemark: remark };
  throw buildRejection(
    'BuildNoStartCommand',
    script === undefined
      ? 'There is nothing to start: package.json has no scripts.start, and there is no main program, server.js or index.js.'
      : `There is nothing to start: scripts.start must be a plain "node <file>" command, not "${script}".`,
  );
};

const isFilled = (record: Readonly<Record<string, string>> | undefined): boolean => Object.keys(record ?? {}).length > 0;

const installOf = (manifest: PackageJson, hasBuildScript: boolean): BuildPlan['install'] => {
  const needsProduction = isFilled(manifest.dependencies) || isFilled(manifest.optionalDependencies);
  if (hasBuildScript) return needsProduction || isFilled(manifest.devDependencies) ? 'all' : 'none';
  return needsProduction ? 'production' : 'none';
};

/** Throws `BuildPackageInvalid`, `BuildNoStartCommand` or `BuildLockfileMissing`. */
export const buildPlan = (tree: ReadonlyMap<string, SourceFile>): BuildPlan => {
  const manifest = readPackage(tree);
  const hasBuildScript = manifest.scripts?.['build'] !== undefined;
  const install = installOf(manifest, hasBuildScript);
  if (install !== 'none' && !LOCK_FILES.some((name) => tree.has(name))) {
    throw buildRejection(
      'BuildLockfileMissing',
      'package.json names dependencies, but package-lock.json is missing. Run npm install and commit it.',
    );
  }
  // The build script may create the program later, so the path in scripts.start is not checked.
  return { ...startOf(tree, manifest), install, hasBuildScript };
};
