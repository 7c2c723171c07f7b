/** The palette's entries about where the person is: its pages, and what one can do there. */
import {
  Activity,
  ArrowUpRight,
  GitCommitVertical,
  KeyRound,
  Package,
  Play,
  Plus,
  ScrollText,
  Server,
  Users,
  Workflow,
} from 'lucide-react';
import { Mark } from '@slipway/ui/Mark.tsx';
import type { ReactNode } from 'react';
import { reasonOf } from '#lib/messages.ts';
import { paths } from '#lib/paths.ts';
import type { Entry, EntryGroup } from './match.ts';
import { environmentLinks, placeLinks, type PlaceLinkKind } from './place-links.ts';
import type { Place } from './use-place.ts';

const icons: Readonly<Record<PlaceLinkKind, ReactNode>> = {
  revisions: <GitCommitVertical aria-hidden="true" />,
  services: <Server aria-hidden="true" />,
  pipelines: <Workflow aria-hidden="true" />,
  activity: <Activity aria-hidden="true" />,
  logs: <ScrollText aria-hidden="true" />,
  secrets: <KeyRound aria-hidden="true" />,
  registry: <Package aria-hidden="true" />,
};

const titleOf = ({ app, env, service }: Place): string => `In ${service ?? app}, ${env}`;

const teamEntry = ({ application }: Place): Entry[] =>
  application
    ? [
        {
          key: 'here team',
          label: application.teamName,
          note: 'Team of this app',
          icon: <Users aria-hidden="true" />,
          href: paths.team(application.teamId),
        },
      ]
    : [];

/** The page itself is no place to go to; a service opens with its revisions. */
const isCurrent = (href: string, pathname: string): boolean =>
  href === pathname || href === `${pathname}/revisions` || href === `${pathname}/development`;

/** Nothing on pages that belong to no app. */
export const placeGroup = (place: Place, pathname: string): EntryGroup => {
  const pages = placeLinks(place)
    .filter(({ href }) => !isCurrent(href, pathname))
    .map(({ kind, label, letter, href }): Entry => ({
      key: `here ${kind}`,
      label,
      icon: icons[kind],
      ...(letter === undefined ? {} : { keys: `G ${letter}` }),
      href,
    }));
  const environments = environmentLinks()
    .filter((link) => !link.isCurrent)
    .map(({ key, label, href }): Entry => ({
      key: `environment ${label}`,
      label: `Switch to ${label.toLowerCase()}`,
      words: 'environment',
      icon: <Mark shape={label === 'Production' ? 'load' : 'load-open'} />,
      keys: key,
      href,
    }));
  return { label: titleOf(place), entries: [...pages, ...environments, ...teamEntry(place)] };
};

/** What the person may do here; what may not be done is explained on the page, at its button. */
export const placeActions = (place: Place): Entry[] => {
  const { app, env, service, application, serviceData } = place;
  if (app === undefined || env === undefined) return [];
  const actions: Entry[] = [];
  if (serviceData && service !== undefined) {
    if (!reasonOf(serviceData.can, 'deploy')) {
      const href = `${paths.service({ app, env, service })}?run=pipeline`;
      actions.push({ key: 'run pipeline', label: 'Run pipeline', note: service, words: 'deploy', icon: <Play aria-hidden="true" />, href });
    }
    const { url } = serviceData.status;
    if (url)
      actions.push({
        key: 'open url',
        label: 'Open URL',
        note: url.replace(/^https?:\/\//, ''),
        icon: <ArrowUpRight aria-hidden="true" />,
        href: url,
      });
  }
  if (application && !reasonOf(application.can, 'createService')) {
    const href = paths.newService({ app, env });
    actions.push({ key: 'new service', label: `New service in ${app}`, words: 'create', icon: <Plus aria-hidden="true" />, href });
  }
  return actions;
};
