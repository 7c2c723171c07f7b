/** Reads the passphrase of a backup's keys: from a file, the environment or the terminal. Never from arguments, which `ps` shows. */
import fs from 'node:fs';
import readline from 'node:readline/promises';
import { Writable } from 'node:stream';
import { errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';

export const PASSPHRASE_VARIABLE = 'SLIPWAY_BACKUP_PASSPHRASE';
const LEAST_LENGTH = 12;

export interface PassphraseOptions {
  readonly file: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** True to ask twice and check the length. */
  readonly isNew: boolean;
}

/** Returns the passphrase from a file or the environment, if any. Removes it from the environment, so that children don't inherit it. */
export function givenPassphrase({ file, env }: Omit<PassphraseOptions, 'isNew'>): string | undefined {
  const value = env[PASSPHRASE_VARIABLE];
  delete env[PASSPHRASE_VARIABLE];
  if (file === undefined) return value || undefined;
  try {
    return firstLine(fs.readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new StartError(`The passphrase's file cannot be read: ${errorMessage(cause)}`, { cause });
  }
}

export async function askPassphrase(options: PassphraseOptions): Promise<string> {
  const passphrase = givenPassphrase(options) ?? (await fromTerminal(options.isNew));
  if (options.isNew && [...passphrase].length < LEAST_LENGTH)
    throw new StartError(`The passphrase must have at least ${LEAST_LENGTH} characters: it protects every secret of the platform`);
  return passphrase;
}

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? '';

async function fromTerminal(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new StartError(
      `The keys of a backup are sealed with a passphrase: name a file that holds it with --passphrase-file, or set ${PASSPHRASE_VARIABLE}.` +
        (isNew ? ' To keep the keys apart from the backup, use --without-keys.' : ''),
    );
  const first = await prompt('Passphrase of the backup: ');
  if (isNew && (await prompt('The same again: ')) !== first) throw new StartError('The two are not the same');
  return first;
}

/** Prompts without echo. */
async function prompt(question: string): Promise<string> {
  process.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = readline.createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await reader.question('');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}
