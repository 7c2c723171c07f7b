/** Builds all URLs of the console in one place, so that no page concatenates paths. */
import { pipelinePathOf } from '@slipway/contract/kinds.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';

export interface AppRef {
  app: string;
  env: string;
}
export interface ServiceRef extends AppRef {
  service: string;
}
export interface RepositoryRef extends AppRef {
  /** Name below the app's project. */
  repository: string;
}
export type RegistrySection = 'repositories' | 'robot-accounts' | 'webhooks' | 'policy';
export interface SecretGroupRef extends AppRef {
  group: string;
}
export interface DatabaseRef extends AppRef {
  database: string;
}
/** Sections of events processing; `requests` are those of grants. */
export type EventsPart = 'topics' | 'schemas' | 'accounts' | 'requests';
export interface TopicRef extends AppRef {
  topic: string;
}
export type TopicTab = 'overview' | 'messages' | 'access' | 'settings' | 'activity-logs';
export interface SchemaRef extends AppRef {
  schema: string;
}
export interface AccountRef extends AppRef {
  account: string;
}
export type MonitorTab = 'overview' | 'errors' | 'sessions' | 'calls' | 'setup';
export interface MonitorRef extends AppRef {
  monitor: string;
}
export type CatalogKind = 'application' | 'platform' | 'portfolio' | 'product';
export interface CatalogRef {
  kind: CatalogKind;
  id: string;
}
export type CatalogTab = 'requests' | 'history';
export type DatabaseTab = 'overview' | 'slow-queries' | 'backups' | 'connect' | 'settings' | 'activity-logs';

const part = encodeURIComponent;
const atTab = (tab: DatabaseTab | TopicTab | MonitorTab = 'overview'): string => (tab === 'overview' ? '' : `/${tab}`);
const inApp = ({ app, env }: AppRef): string => `/app/${part(app)}/${part(env)}`;
const inService = (ref: ServiceRef): string => `${inApp(ref)}/service/${part(ref.service)}`;
const inEvents = (ref: AppRef): string => `${inApp(ref)}/events-processing`;
const inRepository = (ref: RepositoryRef): string => `${inApp(ref)}/container-registry/repositories/${part(ref.repository)}`;

/** Pages of the user guide that the console links to, with the anchor. All of them exist. */
export const guidePages = ['', 'webhooks/#verify-the-signature'] as const;
type GuidePage = (typeof guidePages)[number];

export const paths = {
  home: () => '/',
  myApps: () => '/my-apps',
  allApps: () => '/all-apps',
  myTeams: () => '/my-teams',
  allTeams: () => '/all-teams',
  notifications: (tab?: 'settings') => `/notifications${tab ? `?tab=${tab}` : ''}`,
  mailOutbox: () => '/notifications/outbox',
  teamNotifications: (team: string) => `/team/${part(team)}/notifications`,
  team: (team: string, tab?: 'activity-logs' | 'requests' | 'map') => `/team/${part(team)}${tab ? `?tab=${tab}` : ''}`,
  newTeam: () => '/new-team',
  newApp: () => '/new-app',
  newAppQuickstart: () => '/new-app/quickstart',
  newAppBlank: (macId?: string) => `/new-app/blank${macId ? `?macId=${part(macId)}` : ''}`,
  newAppCatalogue: () => '/new-app/catalogue',
  /** Without an environment the app page selects development. */
  app: ({ app, env }: { app: string; env?: string }) => (env ? inApp({ app, env }) : `/app/${part(app)}`),
  /** The way of an app to production. */
  promoteApp: ({ app }: { app: string }) => `/app/${part(app)}/promote`,
  appServices: (ref: AppRef) => `${inApp(ref)}/service`,
  databases: (ref: AppRef) => `${inApp(ref)}/database`,
  newDatabase: (ref: AppRef) => `${inApp(ref)}/new-database`,
  /** Without a tab it is the overview. */
  database: (ref: DatabaseRef, tab?: DatabaseTab) => `${inApp(ref)}/database/${part(ref.database)}${atTab(tab)}`,
  monitors: (ref: AppRef) => `${inApp(ref)}/monitoring`,
  newMonitor: (ref: AppRef) => `${inApp(ref)}/new-monitor`,
  /** Without a tab it is the overview. */
  monitor: (ref: MonitorRef, tab?: MonitorTab) => `${inApp(ref)}/monitoring/${part(ref.monitor)}${atTab(tab)}`,
  events: (ref: AppRef, part?: EventsPart) => `${inEvents(ref)}${part ? `/${part}` : ''}`,
  newStream: (ref: AppRef) => `${inEvents(ref)}/create-stream`,
  newTopic: (ref: AppRef) => `${inEvents(ref)}/create-topic`,
  newSchema: (ref: AppRef) => `${inEvents(ref)}/create-schema`,
  newAccount: (ref: AppRef) => `${inEvents(ref)}/accounts/new`,
  /** Without a tab it is the overview. */
  topic: (ref: TopicRef, tab?: TopicTab) => `${inEvents(ref)}/topics/${part(ref.topic)}${atTab(tab)}`,
  schema: (ref: SchemaRef) => `${inEvents(ref)}/schemas/${part(ref.schema)}`,
  account: (ref: AccountRef) => `${inEvents(ref)}/accounts/${part(ref.account)}`,
  /** The comparison with production. */
  promotion: ({ kind, name, ...ref }: AppRef & { kind: 'topics' | 'schemas' | 'accounts'; name: string }) =>
    `${inEvents(ref)}/${kind}/${part(name)}/promotion`,
  topicRequest: (ref: AppRef & { request: string }) => `${inEvents(ref)}/requests/${part(ref.request)}`,
  containerRegistry: (ref: AppRef, section?: RegistrySection) => `${inApp(ref)}/container-registry${section ? `/${section}` : ''}`,
  repository: (ref: RepositoryRef) => inRepository(ref),
  image: (ref: RepositoryRef & { tag: string }) => `${inRepository(ref)}/${part(ref.tag)}`,
  flags: (ref: AppRef, section?: 'client-keys' | 'saved-groups') => `${inApp(ref)}/flags${section ? `/${section}` : ''}`,
  flag: (ref: AppRef & { flag: string }) => `${inApp(ref)}/flags/flag/${part(ref.flag)}`,
  webhook: (ref: AppRef & { webhook: string }) => `${inApp(ref)}/container-registry/webhooks/${part(ref.webhook)}`,
  appMap: (ref: AppRef) => `${inApp(ref)}/map`,
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
  /** `from` fills in the form from a revision; `fix` proposes one value, as `path:value`. */
  serviceSettings: (ref: ServiceRef, section?: string, filled: { from?: string; fix?: string } = {}) => {
    const search = new URLSearchParams(filled).toString();
    return `${inService(ref)}/settings${search ? `?${search}` : ''}${section ? `#${part(section)}` : ''}`;
  },
  serviceSecrets: (ref: ServiceRef) => `${inService(ref)}/secret-manager`,
  catalog: (search = '') => `/catalogue${search}`,
  catalogEntry: ({ kind, id }: CatalogRef, tab?: CatalogTab) => `/catalogue/${kind}s/${part(id)}${tab ? `/${tab}` : ''}`,
  newCatalogEntry: (kind: CatalogKind = 'application', filled: { platform?: string; portfolio?: string } = {}) =>
    `/catalogue/new?${new URLSearchParams({ kind, ...filled }).toString()}`,
  decommission: ({ kind, id }: CatalogRef) => `/catalogue/${kind}s/${part(id)}/decommission`,
  catalogBulk: (ids: readonly string[]) => `/catalogue/bulk?${ids.map((id) => `id=${part(id)}`).join('&')}`,
  catalogLabels: () => '/catalogue/labels',
  catalogImports: () => '/catalogue/imports',
  catalogImport: (id: string) => `/catalogue/imports/${part(id)}`,
  catalogTree: () => '/catalogue/tree',
  catalogApprovers: () => '/catalogue/approvers',
  catalogOptions: () => '/catalogue/options',
  catalogSummary: (platform?: string, month?: string) =>
    ['/catalogue/summary', ...[platform, month].flatMap((name) => (name === undefined ? [] : [part(name)]))].join('/'),
  keys: () => '/platform/keys',
  platformHealth: () => '/platform/health',
  operations: () => '/operations',
  audit: () => '/platform/audit',
  freezeWindows: () => '/platform/freeze-windows',
  platformSettings: () => '/platform/settings',
  /** The inbox, open at one request if it is named. */
  requests: (request?: string) => `/requests${request ? `?request=${part(request)}` : ''}`,
  pipelines: () => '/pipelines',
  /** The pipeline of any resource. */
  anyPipeline: (pipeline: string) => `/pipelines/${part(pipeline)}`,
  /** The user's inbox, with a request open. */
  profile: () => '/me',
  tokens: () => '/me/tokens',
  /** `page`: `webhooks/#verify-the-signature`. */
  docs: (page: GuidePage = '') => `/docs/${page}`,
} as const;

/** Returns the page of a pipeline of any kind. */
export const pipelinePath = ({ pipelineId, subject }: { pipelineId: string; subject: Pick<Subject, 'kind' | 'names'> }): string =>
  pipelinePathOf(subject, pipelineId);
