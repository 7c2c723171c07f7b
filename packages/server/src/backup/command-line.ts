/** The arguments of `slipway`, and the help text. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';

export const usage = `slipway backup <file>             everything in one archive, while Slipway runs or not
slipway backup --check <file>     reads an archive to its end: could it be restored?
slipway restore <file>            an archive into an empty data directory (and an empty database)

  --passphrase-file <file>   its first line seals the keys, or opens them; else SLIPWAY_BACKUP_PASSPHRASE, or asked for
  --without-keys             backup: leaves the keys out. Keep a copy of the directory \`keys\` elsewhere
  --keys <directory>         restore: the keys of a backup without keys
`;

export interface Command {
  readonly name: 'backup' | 'check' | 'restore';
  readonly file: string;
  readonly passphraseFile: string | undefined;
  readonly hasKeys: boolean;
  readonly keysDirectory: string | undefined;
}

const options = {
  check: { type: 'boolean' },
  'passphrase-file': { type: 'string' },
  'without-keys': { type: 'boolean' },
  keys: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns undefined if the user asks for help. Resolves paths relative to `directory`. */
export function readCommand(args: readonly string[], directory: string): Command | undefined {
  const { values, positionals } = parse(args);
  const [verb, file, ...rest] = positionals;
  if (values.help || verb === undefined) return undefined;
  if (verb !== 'backup' && verb !== 'restore') throw wrong(`there is no command ${verb}`);
  if (file === undefined) throw wrong(`${verb} needs the name of a file`);
  if (rest.length > 0) throw wrong(`${verb} takes one file`);
  if (verb === 'restore' && (values.check || values['without-keys'])) throw wrong('--check and --without-keys are for backup');
  if (values.keys !== undefined && verb !== 'restore') throw wrong('--keys is for restore');
  const at = (name: string | undefined): string | undefined => (name === undefined ? undefined : path.resolve(directory, name));
  return {
    name: values.check ? 'check' : verb,
    file: path.resolve(directory, file),
    passphraseFile: at(values['passphrase-file']),
    hasKeys: !values['without-keys'],
    keysDirectory: at(values.keys),
  };
}

const wrong = (what: string): StartError => new StartError(`slipway: ${what}\n\n${usage}`);

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrong(errorMessage(error).split('.')[0] ?? '');
  }
}
