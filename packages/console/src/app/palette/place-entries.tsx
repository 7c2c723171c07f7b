/** Palette entries of the current place: its pages and actions. */
import { settingsSectionIds, settingsSections, type SettingsSection } from '@slipway/contract/pipeline/service-change.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import {
  Activity,
  Archive,
  ArrowUpRight,
  Bot,
  ChartLine,
  Copy,
  Database,
  FileCode,
  GitBranch,
  Gauge,
  GitCommitVertical,
  Inbox,
  KeyRound,
  Package,
  Play,
  Plus,
  ScrollText,
  Server,
  ShieldCheck,
  SlidersHorizontal,
  Terminal,
  Timer,
  Users,
  Waves,
  Webhook,
  Workflow,
  Waypoints,
} from 'lucide-react';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import type { ReactNode } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { dialogSearch } from '#features/services/dialogs/ServiceDialogs.tsx';
import type { Entry, EntryGroup } from './match.ts';
import { environmentLinks, placeLinks, type PlaceLinkKind } from './place-links.ts';
import type { Place } from './use-place.ts';

const icons: Readonly<Record<PlaceLinkKind, ReactNode>> = {
  revisions: <GitCommitVertical aria-hidden="true" />,
  map: <Waypoints aria-hidden="true" />,
  services: <Server aria-hidden="true" />,
  pipelines: <Workflow aria-hidden="true" />,
  activity: <Activity aria-hidden="true" />,
  metrics: <ChartLine aria-hidden="true" />,
  monitoring: <Gauge aria-hidden="true" />,
  settings: <SlidersHorizontal aria-hidden="true" />,
  logs: <ScrollText aria-hidden="true" />,
  secrets: <KeyRound aria-hidden="true" />,
  databases: <Database aria-hidden="true" />,
  queries: <Timer aria-hidden="true" />,
  backups: <Archive aria-hidden="true" />,
  connect: <Terminal aria-hidden="true" />,
  registry: <Package aria-hidden="true" />,
  robots: <Bot aria-hidden="true" />,
  webhooks: <Webhook aria-hidden="true" />,
  policy: <ShieldCheck aria-hidden="true" />,
  events: <Waves aria-hidden="true" />,
  requests: <Inbox aria-hidden="true" />,
};

const titleOf = ({ app, env, service, database }: Place): string => `In ${service ?? database ?? app}, ${env}`;

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

/** Returns true for the current page, which is not listed. A service opens with its revisions. */
const isCurrent = (href: string, pathname: string): boolean =>
  href === pathname || href === `${pathname}/revisions` || href === `${pathname}/development`;

/** Empty on pages that belong to no app. */
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
      icon: <StatusIcon shape={label === 'Production' ? 'load' : 'load-open'} />,
      keys: key,
      href,
    }));
  return { label: titleOf(place), entries: [...pages, ...environments, ...teamEntry(place)] };
};

const serviceActions = (place: ServiceRef, { can, status }: Service): Entry[] => {
  const { service } = place;
  const actions: Entry[] = [];
  const add = (verb: string, entry: Entry): void => {
    if (!reasonOf(can, verb)) actions.push(entry);
  };
  const here = paths.service(place);
  add('deploy', {
    key: 'run pipeline',
    label: 'Run pipeline',
    note: service,
    words: 'deploy',
    icon: <Play aria-hidden="true" />,
    href: `${here}?run=pipeline`,
  });
  if (status.url) {
    const { url } = status;
    const note = url.replace(/^https?:\/\//, '');
    actions.push({ key: 'open url', label: 'Open URL', note, icon: <ArrowUpRight aria-hidden="true" />, href: url });
    add('readLogs', {
      key: 'call service',
      label: 'Call it',
      note: service,
      words: 'curl token password credentials basic jwt',
      icon: <Terminal aria-hidden="true" />,
      href: here + dialogSearch('call'),
    });
  }
  add('readLogs', {
    key: 'copy service',
    label: 'Copy service',
    note: service,
    words: 'promote production environment compare',
    icon: <Copy aria-hidden="true" />,
    href: paths.copyService(place),
  });
  add('readLogs', {
    key: 'service yaml',
    label: 'service.yaml',
    note: service,
    words: 'export import settings file',
    icon: <FileCode aria-hidden="true" />,
    href: paths.serviceYaml(place),
  });
  add('update', {
    key: 'connect repository',
    label: 'Connect to a repository',
    note: service,
    words: 'github git source',
    icon: <GitBranch aria-hidden="true" />,
    href: here + dialogSearch('repository'),
  });
  return actions;
};

/** Search words of the settings sections. */
const sectionLabels: Readonly<Record<SettingsSection, string>> = {
  general: 'image region repository inactive',
  resources: 'cpu memory replicas scaling autoscale',
  volumes: 'secret files mounts',
  environment: 'env variables dotenv',
  rollout: 'strategy red black recreate rolling image update policy regex',
  network: 'port domain traffic timeouts authentication jwt basic',
  health: 'check probe http tcp exec',
  observability: 'metrics prometheus',
  advanced: 'vault proxy yaml',
};

/** Returns the settings sections of the current service; for members only. */
export const settingsGroup = ({ app, env, service, serviceData }: Place): EntryGroup => {
  const isShown = app !== undefined && env !== undefined && service !== undefined && serviceData && !reasonOf(serviceData.can, 'readLogs');
  const sections = isShown ? settingsSectionIds : [];
  return {
    label: 'Settings',
    entries: sections.map((section) => ({
      key: `settings ${section}`,
      label: settingsSections[section],
      note: 'Settings',
      words: `settings ${sectionLabels[section]}`,
      icon: <SlidersHorizontal aria-hidden="true" />,
      href: paths.serviceSettings({ app: app ?? '', env: env ?? '', service: service ?? '' }, section),
    })),
  };
};

/** Returns the actions that the user may run here. The page's buttons explain the forbidden ones. */
export const placeActions = (place: Place): Entry[] => {
  const { app, env, service, application, serviceData } = place;
  if (app === undefined || env === undefined) return [];
  const actions: Entry[] = [];
  if (serviceData && service !== undefined) actions.push(...serviceActions({ app, env, service }, serviceData));
  if (application && !reasonOf(application.can, 'createService')) {
    const icon = <Plus aria-hidden="true" />;
    actions.push(
      { key: 'new service', label: `New service in ${app}`, words: 'create blank image', icon, href: paths.newService({ app, env }) },
      {
        key: 'quickstart service',
        label: `New service in ${app} from a template`,
        words: 'create quickstart',
        icon,
        href: paths.newServiceQuickstart({ app, env }),
      },
      {
        key: 'new stream',
        label: `New stream in ${app}`,
        words: 'create kafka events topic schema account',
        icon,
        href: paths.newStream({ app, env }),
      },
      { key: 'new topic', label: `New topic in ${app}`, words: 'create kafka events', icon, href: paths.newTopic({ app, env }) },
      { key: 'new database', label: `New database in ${app}`, words: 'create postgresql', icon, href: paths.newDatabase({ app, env }) },
    );
  }
  return actions;
};
