/** Existing pages that can be reached from the current place, with their shortcut keys. */
import { reasonOf } from '#kit/error/messages.ts';
import { paths, type DatabaseRef, type DatabaseTab, type ServiceRef } from '#entities/paths.ts';
import type { Place } from './use-place.ts';

export type PlaceLinkKind =
  | 'revisions'
  | 'services'
  | 'map'
  | 'pipelines'
  | 'metrics'
  | 'settings'
  | 'activity'
  | 'logs'
  | 'secrets'
  | 'databases'
  | 'queries'
  | 'backups'
  | 'connect'
  | 'registry'
  | 'robots'
  | 'webhooks'
  | 'policy'
  | 'events'
  | 'monitoring'
  | 'requests';
export interface PlaceLink {
  kind: PlaceLinkKind;
  label: string;
  /** Key to press after G. */
  letter?: string;
  href: string;
}

const link = (kind: PlaceLinkKind, label: string, letter: string | undefined, href: string): PlaceLink => ({
  kind,
  label,
  href,
  ...(letter === undefined ? {} : { letter }),
});

/** Links the log of the current revision, or of the serving one. Empty if the user may not read it. */
const logsOf = (here: ServiceRef, { revision, serviceData }: Place): PlaceLink[] => {
  const name = revision ?? serviceData?.status.serving;
  if (!name || !serviceData || reasonOf(serviceData.can, 'readLogs')) return [];
  return [link('logs', 'Logs', 'L', `${paths.revision({ ...here, revision: name })}/logs`)];
};

const databaseTabs: readonly (readonly [PlaceLinkKind, string, string | undefined, DatabaseTab | undefined])[] = [
  ['databases', 'Overview', 'O', undefined],
  ['queries', 'Slow queries', 'Q', 'slow-queries'],
  ['backups', 'Backups', 'B', 'backups'],
  ['connect', 'Connect', 'C', 'connect'],
  ['settings', 'Settings', 'S', 'settings'],
  ['activity', 'Activity logs', 'A', 'activity-logs'],
];
const linksOfDatabase = (here: DatabaseRef): PlaceLink[] =>
  databaseTabs.map(([kind, label, letter, tab]) => link(kind, label, letter, paths.database(here, tab)));

export const placeLinks = (place: Place): PlaceLink[] => {
  const { app, env, service, database, serviceData, application } = place;
  if (app === undefined || env === undefined) return [];
  if (service === undefined) {
    if (!application) return [];
    if (database !== undefined) return linksOfDatabase({ app, env, database });
    return [
      link('services', 'Services', 'S', paths.app({ app, env })),
      link('map', 'Map', 'M', paths.appMap({ app, env })),
      link('secrets', 'Secrets manager', undefined, paths.secretGroups({ app, env })),
      link('databases', 'Databases', 'D', paths.databases({ app, env })),
      link('monitoring', 'Monitoring', undefined, paths.monitors({ app, env })),
      link('events', 'Events processing', 'E', paths.events({ app, env })),
      link('requests', 'Requests for topics', undefined, paths.events({ app, env }, 'requests')),
      link('registry', 'Container registry', undefined, paths.containerRegistry({ app, env }, 'repositories')),
      link('robots', 'Robot accounts', undefined, paths.containerRegistry({ app, env }, 'robot-accounts')),
      link('webhooks', 'Webhooks', undefined, paths.containerRegistry({ app, env }, 'webhooks')),
      link('policy', 'Registry policy', undefined, paths.containerRegistry({ app, env }, 'policy')),
      link('activity', 'Activity logs', 'A', paths.appActivity({ app, env })),
    ];
  }
  if (!serviceData) return [];
  const here = { app, env, service };
  return [
    link('revisions', 'Revisions', 'R', paths.service(here, 'revisions')),
    link('pipelines', 'Pipelines', 'P', paths.service(here, 'pipelines')),
    link('metrics', 'Metrics', 'M', paths.service(here, 'metrics')),
    link('secrets', 'Secret manager', undefined, paths.serviceSecrets(here)),
    link('settings', 'Settings', 'S', paths.serviceSettings(here)),
    ...logsOf(here, place),
    link('activity', 'Activity logs', 'A', paths.service(here, 'activity-logs')),
  ];
};

export interface EnvironmentLink {
  key: '[' | ']';
  label: string;
  href: string;
  isCurrent: boolean;
}

/** Reads the environment links from the page, which knows what exists there. In the order of the discs. */
export const environmentLinks = (): EnvironmentLink[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('a[aria-keyshortcuts="["], a[aria-keyshortcuts="]"]')].map((anchor) => ({
    key: anchor.getAttribute('aria-keyshortcuts') === '[' ? '[' : ']',
    label: anchor.textContent,
    href: anchor.pathname + anchor.search,
    isCurrent: anchor.hasAttribute('aria-current'),
  }));
