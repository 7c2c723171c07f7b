/** A small file that is read and written whole: what is on disk is always the old or the new one. */
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '#kernel/caught.ts';

/** Undefined where there is none yet. The caller checks what it finds. */
export const readState = async (file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  return text === undefined ? undefined : parsed(file, () => JSON.parse(text));
};

/** Reads what a file holds. Where it makes no sense it says which one, and nothing of what is in it. */
export const parsed = <Value>(file: string, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} is damaged`, { cause: error });
  }
};

/** Temporary file, fsync, rename, fsync of the directory. Calls for one file are made one after the other by its owner. */
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
