/** The two ways to connect to a database: to read and write, or only to read. Each has its own login and secret group. */
import { databaseReadKeys, databaseSecretKeys, type Database } from '@slipway/contract/database/database.ts';

export interface Access {
  readonly isReader: boolean;
  readonly group: string;
  /** Undefined until the group exists. */
  readonly version: number | undefined;
  readonly keys: readonly string[];
}

/** Returns undefined for the read-only login if it is off. */
export const accessOf = ({ secretGroup, credentials, reader }: Database, isReader: boolean): Access | undefined => {
  if (!isReader) return { isReader, group: secretGroup, version: credentials?.version, keys: databaseSecretKeys };
  return reader ? { isReader, group: reader.secretGroup, version: reader.version, keys: databaseReadKeys } : undefined;
};
