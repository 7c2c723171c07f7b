/** The file names that a volume creates. Pure; the server uses the same rules (`mount-files.ts`). */
import { keyValueFormatOf } from '@slipway/contract/secret/key-value-formats.ts';
import { plainMountPath } from '@slipway/contract/service/service-rules.ts';
import { newRowKey, type MountRow } from '#features/services/settings/draft.ts';

/** `keys`: known keys of the group. */
export const mountNames = (row: MountRow, keys: readonly string[]): string[] => {
  const format = keyValueFormatOf(row.fileFormat);
  const folder = plainMountPath(`${row.mountPath || '/…'}/`);
  const inFolder = (name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
  if (row.secretGroup === '') return [];
  if (format) return [inFolder(`${row.secretGroup}.${format.extension}`)];
  if (row.includeAllKeys) return keys.map(inFolder);
  return row.secretKey ? [inFolder(row.secretKey)] : [];
};

export const emptyMount = (): MountRow => ({
  mountPath: '',
  secretGroup: '',
  includeAllKeys: true,
  fileFormat: 'file',
  secretKey: null,
  rowKey: newRowKey(),
});

/** Returns the rows with one row moved up (-1) or down (1). */
export const moved = <T>(rows: readonly T[], index: number, by: -1 | 1): T[] => {
  const [row, other] = [rows[index], rows[index + by]];
  return row === undefined || other === undefined ? [...rows] : rows.with(index, other).with(index + by, row);
};

/** Focus target after a row is removed. */
export const addVolumeId = 'add-volume';
