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
    fs.rmSync(trial);
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
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  fs.mkdirSync(directory, { mode: 0o700 });
};
