/** The names of the files that a volume makes. Pure; the server writes them by the same rules (`mount-files.ts`). */
import { keyValueFormatOf } from '@slipway/contract/secret/key-value-formats.ts';
import { plainMountPath } from '@slipway/contract/service/service-rules.ts';
import { newRowKey, type MountRow } from '#features/services/settings/draft.ts';

/** `keys`: of the group, as far as they are known. */
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

/** With the row one place further up (-1) or down (1). */
export const moved = <T>(rows: readonly T[], index: number, by: -1 | 1): T[] => {
  const [row, other] = [rows[index], rows[index + by]];
  return row === undefined || other === undefined ? [...rows] : rows.with(index, other).with(index + by, row);
};

/** Where the focus goes when a row is gone. */
export const addVolumeId = 'add-volume';
