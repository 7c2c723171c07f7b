/**
 * The broker's data directory and user. When the platform runs as root, the broker gets its own user without access to the platform's other
 * files.
 */
import fs from 'node:fs';
import path from 'node:path';
import { handOver, isTraversable, linkHome, makeHome } from '#db/embedded-directory.ts';
import { StartError } from '#kernel/start-error.ts';

/** Follows the ids of the two PostgreSQL users. Like them, it has no name in the machine's user table. */
const OWN_USER = { uid: 60_744, gid: 60_744 };
const OUTSIDE = '/var/lib/slipway';

export interface BrokerDirectory {
  /** Mode 0700, owned by the broker's user. */
  readonly home: string;
  /** Undefined for the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const linkOf = (dataDir: string): string => path.join(dataDir, 'broker');

/** Returns true if a broker was ever started, so that it may have messages. */
export const isBrokerThere = (dataDir: string): boolean => fs.lstatSync(linkOf(dataDir), { throwIfNoEntry: false }) !== undefined;

/**
 * Prepares the directory. `programs` are the files that the broker has to read. If its own user cannot read them, as in root's home
 * directory, the broker runs as the platform's user.
 */
export function prepareBrokerDirectory(dataDir: string, programs: readonly string[]): BrokerDirectory {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const data = fs.realpathSync(dataDir);
  const wanted = linkOf(data);
  const isKnown = isBrokerThere(data);
  if (isKnown && !fs.existsSync(wanted))
    throw new StartError(`The messages of ${data} lie in ${fs.readlinkSync(wanted)}, which is not there: restore that directory`);
  const isOwn = process.getuid?.() === 0 && programs.every((program) => isTraversable(path.dirname(program), OWN_USER));
  if (!isOwn) return { home: makeHome(wanted), user: undefined };
  const isReachable = isKnown || isTraversable(data, OWN_USER);
  const home = isReachable ? makeHome(wanted) : linkHome(wanted, { data, fallback: OUTSIDE, user: OWN_USER, what: 'The embedded broker' });
  if (fs.statSync(home).uid !== OWN_USER.uid) handOver(home, OWN_USER);
  return { home, user: OWN_USER };
}
