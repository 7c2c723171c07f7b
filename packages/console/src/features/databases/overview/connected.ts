/** Clients of a database: services that read its group, connected or not, and all others by application name. */
import type { Database } from '@slipway/contract/database/database.ts';
import type { SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { count } from '@slipway/ui/format/count.ts';

export interface Connected {
  readonly name: string;
  /** Number of open connections. */
  readonly open: number;
  readonly isService: boolean;
  /** "24 connections", "none"; "2, former password". */
  readonly words: string;
  /** Still uses the former password, so the service has to be restarted. */
  readonly isOld: boolean;
}
type Connections = Database['status']['connectionsBy'];
type Readers = readonly Pick<SecretGroup['services'][number], 'service' | 'needsRestart'>[];

const unnamed = 'Unnamed program';

export const connectedOf = (connections: Connections, readers: Readers): Connected[] => {
  const rows = connections.map(({ application, count: open, isFormer }): Connected => ({
    name: application === '' ? unnamed : application,
    isService: readers.some(({ service }) => service === application),
    words: isFormer ? `${open}, former password` : count(open, 'connection'),
    isOld: isFormer,
    open,
  }));
  const idle = readers
    .filter(({ service }) => !connections.some(({ application }) => application === service))
    .map(({ service, needsRestart }) => ({
      name: service,
      isService: true,
      words: needsRestart ? 'needs a restart' : 'none',
      isOld: needsRestart,
      open: 0,
    }));
  return [...rows, ...idle].toSorted((a, b) => b.open - a.open || (a.name < b.name ? -1 : 1));
};
