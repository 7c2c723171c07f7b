/** Reads a chosen or dropped settings file, here in the browser. */
import { ServiceYaml } from '@slipway/contract/service/service-operations.ts';

export interface ReadFile {
  text?: string;
  /** Why it was not read. */
  problem?: string;
}

export const readYamlFile = async (file: File): Promise<ReadFile> => {
  const text = await file.text();
  // Bytes that are no text, and more than the server takes.
  if (text.includes('\u0000')) return { problem: `${file.name} is no text file` };
  if (!ServiceYaml.safeParse({ yaml: text }).success) return { problem: `${file.name} is too large for a settings file` };
  return { text: text.replaceAll('\r\n', '\n') };
};
