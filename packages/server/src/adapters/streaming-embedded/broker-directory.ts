/** Where the broker keeps its messages and as whom it runs. Under root it gets a user of its own, who can reach nothing else of ours. */
import fs from 'node:fs';
import path from 'node:path';
import { handOver, isTraversable, linkHome, makeHome } from '#db/embedded-directory.ts';
import { StartError } from '#kernel/start-error.ts';

/** After those of the two PostgreSQLs, and as theirs without a name in the machine's table of users. */
const OWN_USER = { uid: 60_744, gid: 60_744 };
const OUTSIDE = '/var/lib/slipway';

export interface BrokerDirectory {
  /** Mode 0700, the broker's own. */
  readonly home: string;
  /** Undefined: the same user as this process. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const linkOf = (dataDir: string): string => path.join(dataDir, 'broker');

/** A broker has been needed once: its messages are there. */
export const isBrokerThere = (dataDir: string): boolean => fs.lstatSync(linkOf(dataDir), { throwIfNoEntry: false }) !== undefined;

/** `programs`: what the broker has to read. Where its own user cannot, as in a home directory of root, it runs as ours. */
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
