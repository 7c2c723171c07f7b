import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { prepareDataDirectory } from './data-directory.ts';

test('a directory that another replica makes at the same moment is used', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-data-'));
  const looked = vi.spyOn(fs, 'statSync').mockReturnValueOnce(undefined);
  try {
    prepareDataDirectory(folder);
    expect(looked).toHaveBeenCalledTimes(2);
    expect(fs.readdirSync(folder)).toEqual([]);
    fs.writeFileSync(path.join(folder, 'file'), '');
    expect(() => prepareDataDirectory(path.join(folder, 'file'))).toThrow('it is a file (EEXIST)');
  } finally {
    looked.mockRestore();
    fs.rmSync(folder, { recursive: true });
  }
});
