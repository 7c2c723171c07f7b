/** `--config <file>`, which the server and every command take. */
import type { FileSearch } from '#kernel/config/find-file.ts';

export const configFileUsage = `  --config <file>            the configuration file of the platform, for every command; else SLIPWAY_CONFIG, or slipway.config.yaml
                             in the directory of npm start or in the data directory. Variables win, as for npm start
`;

/** Takes the option out of the arguments. The file is relative to `from`. */
export const splitConfigFile = (
  given: readonly string[],
  from: string,
): { readonly args: readonly string[]; readonly search: FileSearch } => {
  const at = given.findIndex((word) => word === '--config' || word.startsWith('--config='));
  if (at === -1) return { args: given, search: {} };
  const word = given[at] ?? '';
  const isJoined = word.includes('=');
  const path = isJoined ? word.slice(word.indexOf('=') + 1) : given[at + 1];
  return { args: given.toSpliced(at, isJoined ? 1 : 2), search: { path: path ?? '', from } };
};
