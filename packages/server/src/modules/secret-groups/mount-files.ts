/** The files that a mount shows to a process: one for each key, or all keys in one file of a format that programs read. */
import { keyValueFormatOf } from '@slipway/contract/secret/key-value-formats.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { SecretValues } from './seal.ts';

type Mount = ServiceSpec['template']['secretFileMounts'][number];

/** `file`: each key's value as it is, in a file of the key's name. */
const RAW = 'file';

export const isMountFormat = (format: string): boolean => format.toLowerCase() === RAW || keyValueFormatOf(format) !== undefined;

/** Name → content, below the mount's path: `{key}`, or `{group}.env`, `.sh`, `.ps1`, `.json` or `.yaml`. */
export const mountFiles = (mount: Mount, values: SecretValues): Record<string, string> => {
  const entries = [...values].filter(([key]) => mount.includeAllKeys || key === mount.secretKey);
  const format = keyValueFormatOf(mount.fileFormat);
  if (!format) return Object.fromEntries(entries);
  return { [`${mount.secretGroup}.${format.extension}`]: format.write(entries) };
};
