/** Clients of a database: services that read one of its groups, connected or not, and all others by application name. */
import type { Database } from '@slipway/contract/database/database.ts';
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { count } from '@slipway/ui/format/count.ts';

export interface Connected {
  readonly name: string;
  /** Number of open connections. */
  readonly open: number;
  readonly isService: boolean;
  /** "24 connections", "none"; "2, former password", "1, read only". */
  readonly words: string;
  /** Still uses the former password, so the service has to be restarted. */
  readonly isOld: boolean;
}
type Connections = Database['status']['connectionsBy'];
type Readers = readonly Pick<SecretGroup['services'][number], 'service' | 'needsRestart'>[];

/** A service that reads both groups is listed once. */
const firstOf = (readers: Readers, service: string): number => readers.findIndex((reader) => reader.service === service);
const unnamed = 'Unnamed program';

export const connectedOf = (connections: Connections, readers: Readers): Connected[] => {
  const rows = connections.map(({ application, count: open, isFormer, isReader = false }): Connected => ({
    name: application === '' ? unnamed : application,
    isService: readers.some(({ service }) => service === application),
    words:
      isFormer || isReader
        ? [open, ...(isReader ? ['read only'] : []), ...(isFormer ? ['former password'] : [])].join(', ')
        : count(open, 'connection'),
    isOld: isFormer,
    open,
  }));
  const idle = readers
    .filter(({ service }, index) => !connections.some(({ application }) => application === service) && firstOf(readers, service) === index)
    .map(({ service, needsRestart }) => ({
      name: service,
      isService: true,
      words: needsRestart ? 'needs a restart' : 'none',
      isOld: needsRestart,
      open: 0,
    }));
  return [...rows, ...idle].toSorted((a, b) => b.open - a.open || (a.name < b.name ? -1 : 1));
};
