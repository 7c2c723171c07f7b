/** A small file that is read and written whole. Replaced atomically: the disk always has the old or the new version. */
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@slipway/foundation/caught.ts';

/** Returns undefined if there is no file yet. The caller validates the content. */
export const readState = async (file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  return text === undefined ? undefined : parsed(file, () => JSON.parse(text));
};

/** Parses a file's content. Errors name the file, but do not quote its content. */
export const parsed = <Value>(file: string, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} is damaged`, { cause: error });
  }
};

/** Writes a temporary file, fsyncs it, renames it and fsyncs the directory. The owner serializes calls for one file. */
export const writeState = async (file: string, state: unknown): Promise<void> => {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(state));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncDirectory(path.dirname(file));
};

export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
