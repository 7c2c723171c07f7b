/** Settings of the configuration file, as texts of their variables with their places in the file. */

export interface FileValue {
  readonly text: string;
  /** Line and column from 1. */
  readonly line: number;
  readonly column: number;
  /** The reference to a secret, as the file has it. */
  readonly reference?: unknown;
}
export interface FileSettings {
  /** Absolute path of the file. */
  readonly file: string;
  readonly values: ReadonlyMap<string, FileValue>;
}
