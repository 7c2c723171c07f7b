/** The data directory: made, and tried, before anything else wants to write there. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage } from './caught.ts';
import { StartError } from './start-error.ts';

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
    // Of a replica in another container, whose process has the same number, it may be gone.
    fs.rmSync(trial, { force: true });
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    throw new StartError(`SLIPWAY_DATA: ${directory} cannot be used: ${reasons[code] ?? errorMessage(cause)}${code ? ` (${code})` : ''}`, {
      cause,
    });
  }
};

/** Step by step: where a parent takes no directories (/proc), Node's own recursion never ends. */
const makeDirectory = (directory: string): void => {
  const parent = path.dirname(directory);
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent);
  if (isDirectory(directory)) return;
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Replicas that start together share it: another one may just have made it.
    if (!isDirectory(directory)) throw error;
  }
};
const isDirectory = (directory: string): boolean => fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
