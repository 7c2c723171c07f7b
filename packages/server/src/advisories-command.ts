/** `slipway advisories import`: imports advisories from a local file of any size, whether or not Slipway is running. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { advisorySetNamePattern, type AdvisorySet } from '@slipway/contract/registry/advisory.ts';
import { openDatabase } from '#db/database.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { StartError } from '#kernel/start-error.ts';
import { filesAt, importAdvisories, NoAdvisories, TooManyAdvisories } from '#modules/container-registry/index.ts';
import type { Log } from '#ports/log.ts';
import { reachRows } from './backup/reach-rows.ts';

export const advisoriesUsage = `slipway advisories import <file>  advisories in the OSV format: a zip of osv.dev, a directory, or a JSON file
  --set <name>               takes the place of the set of this name; else called as the file, or its directory
`;

export interface ImportCommand {
  readonly file: string;
  readonly set: string;
}

const wrong = (what: string): StartError => new StartError(`slipway: ${what}\n\n${advisoriesUsage}`);

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: { set: { type: 'string' } }, allowPositionals: true });
  } catch (error) {
    throw wrong(errorMessage(error).split('.')[0] ?? '');
  }
};

/** osv.dev names every archive `all.zip`, in a directory named after its ecosystem. */
const setOf = (file: string): string => {
  const name = path.basename(file).replace(/\.(zip|json)$/, '');
  return name === 'all' ? path.basename(path.dirname(file)) : name;
};

/** Parses the arguments after `advisories`. Relative paths start at `directory`. */
export const readAdvisoriesCommand = (args: readonly string[], directory: string): ImportCommand => {
  const { values, positionals } = parsed(args);
  const [verb, file, ...rest] = positionals;
  if (verb !== 'import') throw wrong(verb === undefined ? 'advisories needs a command' : `there is no command advisories ${verb}`);
  if (file === undefined || rest.length > 0) throw wrong('advisories import takes one file or directory');
  const place = path.resolve(directory, file);
  const set = values.set ?? setOf(place);
  if (!advisorySetNamePattern.test(set)) throw wrong(`${set} cannot be the name of a set: give one with --set`);
  return { file: place, set };
};

export const importFromDisk = async ({ file, set }: ImportCommand, config: Config, log: Log): Promise<AdvisorySet> => {
  const reached = await reachRows(config, log);
  // An ecosystem is one transaction, which takes longer than the timeouts of requests allow.
  const database = openDatabase({ ...reached.connection, max: 2, statement_timeout: 0, idle_in_transaction_session_timeout: 0 });
  try {
    const by = { id: 'platform', displayName: 'slipway advisories import', origin: 'platform' as const };
    return await importAdvisories(database.db, () => filesAt(file), { set, title: set, by });
  } catch (error) {
    if (error instanceof NoAdvisories || error instanceof TooManyAdvisories) throw new StartError(`${file}: ${error.message}`);
    throw error;
  } finally {
    await database.close();
    await reached.close();
  }
};
