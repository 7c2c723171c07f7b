/** Reads a chosen or dropped settings file, in the browser. */
import { ServiceYaml } from '@slipway/contract/service/service-operations.ts';

export interface ReadFile {
  text?: string;
  /** Why the file could not be read. */
  problem?: string;
}

export const readYamlFile = async (file: File): Promise<ReadFile> => {
  const text = await file.text();
  // Rejects binary files, and files larger than the server accepts.
  if (text.includes('\u0000')) return { problem: `${file.name} is no text file` };
  if (!ServiceYaml.safeParse({ yaml: text }).success) return { problem: `${file.name} is too large for a settings file` };
  return { text: text.replaceAll('\r\n', '\n') };
};
