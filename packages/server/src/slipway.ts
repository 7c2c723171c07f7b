/** The `slipway` command: backups, advisories, the demo scene, the configuration and its check against the engines. The server itself is start.ts. */
import { errorCode } from '#kernel/caught.ts';
import { advisoriesUsage, importFromDisk, readAdvisoriesCommand } from './advisories-command.ts';
import { demoCommand, demoUsage } from './demo-command.ts';
import { backUp } from './backup/back-up.ts';
import { checkArchive, type ArchiveCheck } from './backup/check-archive.ts';
import { readCommand, usage, type Command } from './backup/command-line.ts';
import { askPassphrase, givenPassphrase } from './backup/passphrase.ts';
import { restore } from './backup/restore.ts';
import { checkRestoreEnded } from './check-state.ts';
import { configCommand, configUsage } from './config-command.ts';
import { doctorCommand, doctorUsage } from './doctor/doctor-command.ts';
import { loadConfig } from '#kernel/config/load-config.ts';
import { createLog } from '#kernel/log.ts';
import { StartError } from '#kernel/start-error.ts';
import { startFailure } from './start-failure.ts';
import { configFileUsage, splitConfigFile } from './config-file-option.ts';
import { version } from './version.ts';

const directory = process.env['INIT_CWD'] ?? process.cwd();
/** Every command reads the configuration, so every command takes `--config <file>`. */
const { args, search } = splitConfigFile(process.argv.slice(2), directory);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const describe = ({ manifest, rowBytes, fileBytes, repositories, blobs, damagedBlobs }: ArchiveCheck): string[] => [
  `of ${manifest.createdAt} by Slipway ${manifest.version}: ${manifest.tables.length} tables (${megabytes(rowBytes)}), ${repositories} repositories and ${blobs} blobs (${megabytes(fileBytes)})`,
  ...damagedBlobs.map(
    (digest) => `Warning: ${digest} did not hold the bytes of its digest when the backup was made: push that image again.`,
  ),
];

const takeBackup = async ({ file, hasKeys, passphraseFile }: Command): Promise<void> => {
  const config = await loadConfig(process.env, search);
  checkRestoreEnded(config.dataDir);
  const passphrase = hasKeys ? await askPassphrase({ file: passphraseFile, env: process.env, isNew: true }) : undefined;
  const report = await backUp({ file, passphrase, config, version, log: createLog(config.logLevel) });
  for (const warning of report.warnings) say(`Warning: ${warning}`);
  say(
    `${file}: ${megabytes(report.bytes)}, ${report.tables} tables, ${report.repositories} repositories, ${report.blobs} blobs, ${hasKeys ? 'keys sealed' : 'without keys: keep a copy of the directory `keys` elsewhere'}`,
  );
};

const check = async ({ file, passphraseFile }: Command): Promise<void> => {
  const passphrase = givenPassphrase({ file: passphraseFile, env: process.env });
  const checked = await checkArchive(file, { passphrase: async () => passphrase });
  const keys = checked.keys ? 'the passphrase opens its keys, and its seal is right' : 'its keys were not opened: no passphrase was given';
  say(`${file} is whole, ${describe(checked).join('\n')}`);
  say(checked.manifest.keys.kept === 'apart' ? 'Its keys are kept apart.' : `Its keys are sealed: ${keys}.`);
};

const takeRestore = async ({ file, passphraseFile, keysDirectory }: Command): Promise<void> => {
  const config = await loadConfig(process.env, search);
  const passphrase = () => askPassphrase({ file: passphraseFile, env: process.env, isNew: false });
  const restored = await restore({ file, passphrase, keysDirectory, config, log: createLog(config.logLevel) });
  say(`Restored into ${config.dataDir}: a backup ${describe(restored).join('\n')}`);
  if (restored.migrated.length > 0) say(`Brought forward to this version: ${restored.migrated.join(', ')}`);
  if (restored.runs > 0) say(`${restored.runs} pipelines had not ended and go on at the start.`);
  say('Start it with npm start. Services start by themselves; people sign in again; tokens, robots and keys are those of the backup.');
};

const takeAdvisories = async (args: readonly string[]): Promise<void> => {
  const command = readAdvisoriesCommand(args, directory);
  const config = await loadConfig(process.env, search);
  checkRestoreEnded(config.dataDir);
  const { name, entries, withdrawn, refused, refusals, asOf } = await importFromDisk(command, config, createLog(config.logLevel));
  say(
    `${name}: ${entries} advisories as of ${asOf}; ${withdrawn} withdrawn, ${refused} refused. Scanned images are compared with them at once.`,
  );
  for (const { file, reason } of refusals) say(`Warning: ${file}: ${reason}`);
};

const tasks = { backup: takeBackup, check, restore: takeRestore };

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  advisories: takeAdvisories,
  demo: (args) => demoCommand(args, process.env, say),
  config: async (args) => say(await configCommand(args, process.env, search)),
  doctor: async (args) => {
    const { output, exitCode } = await doctorCommand(args, process.env, search);
    say(output);
    process.exitCode = exitCode;
  },
};

/** Explains permission errors to users other than the server's user. */
const explain = (error: unknown): unknown => {
  const code = errorCode(error);
  const file = error instanceof Error && 'path' in error ? String(error.path) : 'A file';
  if (code === 'EACCES' || code === 'EPERM')
    return new StartError(`${file} may not be read or written by this user: run slipway as the user that Slipway runs as`);
  return error;
};

// Exit handlers remove partial files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
try {
  const [verb = '', ...rest] = args;
  const command = args.includes('--help') || args.includes('-h') ? undefined : commands[verb];
  if (command) await command(rest);
  else {
    const given = readCommand(args, directory);
    if (given) await tasks[given.name](given);
    else say([usage, advisoriesUsage, demoUsage, configUsage, doctorUsage, configFileUsage].join('\n').trimEnd());
  }
} catch (error) {
  process.stderr.write(`${startFailure(explain(error))}\n`);
  process.exit(1);
}
// Exits even if a failure left sessions open.
process.exit();
