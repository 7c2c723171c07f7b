/** Reads a chosen or dropped file as text, in the browser. */
import { formatOfFileName, type SecretFileFormat } from '#entities/secret-file/secret-file-format.ts';

/** Larger than any set of secrets. Prevents reading huge files dropped by mistake. */
const maxFileBytes = 8 * 1024 * 1024;

export interface ReadFile {
  text: string;
  format?: SecretFileFormat;
  /** Why the file could not be read. */
  problem?: string;
}

export const readSecretFile = async (file: File): Promise<ReadFile> => {
  if (file.size > maxFileBytes) return { text: '', problem: `${file.name} is too large: all values together may have 1 MiB` };
  const format = formatOfFileName(file.name);
  return { text: await file.text(), ...(format === undefined ? {} : { format }) };
};
