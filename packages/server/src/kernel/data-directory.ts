/** Creates the data directory and checks that it is writable before anything else uses it. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'the user of this process may not write there',
  EPERM: 'the user of this process may not write there',
  ENOTDIR: 'there is a file in the way',
  EEXIST: 'it is a file',
  ENOENT: 'no directory can be made there',
  ENOSPC: 'the disk is full',
};

export const prepareDataDirectory = (directory: string): void => {
  const trial = path.join(directory, `.trial-${process.pid}`);
  try {
    makeDirectory(directory);
    fs.writeFileSync(trial, 'x');
    // A replica in another container may have the same process id and have removed the file already.
    fs.rmSync(trial, { force: true });
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    throw new StartError(`SLIPWAY_DATA: ${directory} cannot be used: ${reasons[code] ?? errorMessage(cause)}${code ? ` (${code})` : ''}`, {
      cause,
    });
  }
};

/** Creates one level at a time: Node's recursive mkdir never returns if a parent accepts no directories (/proc). */
const makeDirectory = (directory: string): void => {
  const parent = path.dirname(directory);
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent);
  if (isDirectory(directory)) return;
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Replicas that start together share the directory. Another replica may just have created it.
    if (!isDirectory(directory)) throw error;
  }
};
const isDirectory = (directory: string): boolean => fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
