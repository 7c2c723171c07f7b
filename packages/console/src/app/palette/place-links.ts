/** What can be reached from where the person is, with the keys that lead there; only what exists. */
import { reasonOf } from '#kit/error/messages.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import type { Place } from './use-place.ts';

export type PlaceLinkKind = 'revisions' | 'services' | 'pipelines' | 'metrics' | 'settings' | 'activity' | 'logs' | 'secrets' | 'registry';
export interface PlaceLink {
  kind: PlaceLinkKind;
  label: string;
  /** After G. */
  letter?: string;
  href: string;
}

const link = (kind: PlaceLinkKind, label: string, letter: string | undefined, href: string): PlaceLink => ({
  kind,
  label,
  href,
  ...(letter === undefined ? {} : { letter }),
});

/** The log of the revision in view, else of the one that serves; none where the person may not read it. */
const logsOf = (here: ServiceRef, { revision, serviceData }: Place): PlaceLink[] => {
  const name = revision ?? serviceData?.status.serving;
  if (!name || !serviceData || reasonOf(serviceData.can, 'readLogs')) return [];
  return [link('logs', 'Logs', 'L', `${paths.revision({ ...here, revision: name })}/logs`)];
};

export const placeLinks = (place: Place): PlaceLink[] => {
  const { app, env, service, serviceData, application } = place;
  if (app === undefined || env === undefined) return [];
  if (service === undefined) {
    if (!application) return [];
    return [
      link('services', 'Services', 'S', paths.app({ app, env })),
      link('secrets', 'Secrets manager', undefined, paths.secretGroups({ app, env })),
      link('registry', 'Container registry', undefined, paths.containerRegistry({ app, env })),
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

/** The environments as the page itself links them: it knows what of it exists there. In the order of the discs. */
export const environmentLinks = (): EnvironmentLink[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('a[aria-keyshortcuts="["], a[aria-keyshortcuts="]"]')].map((anchor) => ({
    key: anchor.getAttribute('aria-keyshortcuts') === '[' ? '[' : ']',
    label: anchor.textContent,
    href: anchor.pathname + anchor.search,
    isCurrent: anchor.hasAttribute('aria-current'),
  }));
