/** Every address of the console, built in one place, so that no page writes a path by hand. */
import { pipelinePathOf } from '@slipway/contract/kernel/kinds.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';

export interface AppRef {
  app: string;
  env: string;
}
export interface ServiceRef extends AppRef {
  service: string;
}
export interface SecretGroupRef extends AppRef {
  group: string;
}

const part = encodeURIComponent;
const inApp = ({ app, env }: AppRef): string => `/app/${part(app)}/${part(env)}`;
const inService = (ref: ServiceRef): string => `${inApp(ref)}/service/${part(ref.service)}`;

export const paths = {
  home: () => '/',
  myApps: () => '/my-apps',
  allApps: () => '/all-apps',
  myTeams: () => '/my-teams',
  allTeams: () => '/all-teams',
  team: (team: string, tab?: 'activity-logs') => `/team/${part(team)}${tab ? `?tab=${tab}` : ''}`,
  newTeam: () => '/new-team',
  newApp: () => '/new-app',
  newAppQuickstart: () => '/new-app/quickstart',
  newAppBlank: (macId?: string) => `/new-app/blank${macId ? `?macId=${part(macId)}` : ''}`,
  newAppCatalogue: () => '/new-app/catalogue',
  /** Without an environment the app page chooses development. */
  app: ({ app, env }: { app: string; env?: string }) => (env ? inApp({ app, env }) : `/app/${part(app)}`),
  appServices: (ref: AppRef) => `${inApp(ref)}/service`,
  containerRegistry: (ref: AppRef) => `${inApp(ref)}/container-registry`,
  appActivity: (ref: AppRef) => `${inApp(ref)}/activity-logs`,
  newService: (ref: AppRef) => `${inApp(ref)}/new-service`,
  newServiceQuickstart: (ref: AppRef) => `${inApp(ref)}/new-service/quickstart`,
  service: (ref: ServiceRef, tab?: string) => `${inService(ref)}${tab ? `/${part(tab)}` : ''}`,
  copyService: (ref: ServiceRef) => `${inService(ref)}/copy-service`,
  serviceYaml: (ref: ServiceRef) => `${inService(ref)}/service-yaml`,
  revisions: (ref: ServiceRef) => `${inService(ref)}/revisions`,
  revision: (ref: ServiceRef & { revision: string }) => `${inService(ref)}/revision/${part(ref.revision)}`,
  revisionLogs: (ref: ServiceRef & { revision: string }) => `${inService(ref)}/revision/${part(ref.revision)}/logs`,
  pipeline: (ref: ServiceRef & { pipeline: string }) => `${inService(ref)}/pipeline/${part(ref.pipeline)}`,
  secretGroups: (ref: AppRef) => `${inApp(ref)}/secret-group`,
  secretSettings: ({ app }: { app: string }) => `/app/${part(app)}/settings`,
  newSecretGroup: (ref: AppRef) => `${inApp(ref)}/new-secret-group`,
  secretGroup: (ref: SecretGroupRef, page?: 'copy' | 'new-version') =>
    `${inApp(ref)}/secret-group/${part(ref.group)}${page ? `/${page}` : ''}`,
  serviceSettings: (ref: ServiceRef, section?: string) => `${inService(ref)}/settings${section ? `#${part(section)}` : ''}`,
  serviceSecrets: (ref: ServiceRef) => `${inService(ref)}/secret-manager`,
  keys: () => '/platform/keys',
  pipelines: () => '/pipelines',
  tokens: () => '/me/tokens',
  docs: () => '/docs/',
} as const;

/** The page of a pipeline, whatever it is about. */
export const pipelinePath = ({ pipelineId, subject }: { pipelineId: string; subject: Pick<Subject, 'kind' | 'names'> }): string =>
  pipelinePathOf(subject, pipelineId);
