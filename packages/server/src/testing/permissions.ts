/**
 * Who may call what: for every route the one status that each role gets. The requests are such that nobody changes anything: whoever
 * is let in meets a body that is refused (400), something that is not there (404), or a rule that says no (409).
 */
import { errorCatalogue } from '@slipway/contract/kernel/errors.ts';
import type { Access, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { SomeResource } from '@slipway/contract/resource.ts';
import { resources, routes } from '@slipway/contract/routes.ts';
import type { Request } from './app.ts';

/** The columns of the table. `expired` shows a token that was good once, also where none is needed. */
export const roles = ['anonymous', 'expired', 'stranger', 'member', 'owner', 'serviceAccount', 'administrator'] as const;
export type Role = (typeof roles)[number];

interface Row {
  /** In the order of `roles`. */
  readonly statuses: readonly [number, number, number, number, number, number, number];
  readonly request?: Request;
}

const everybody = (request: Request = {}): Row => ({ statuses: [200, 401, 200, 200, 200, 200, 200], request });
const signedIn = (status: number, request: Request = {}): Row => ({
  statuses: [401, 401, status, status, status, status, status],
  request,
});
/** `stranger` is the status that a stranger gets: 403, or 404 where even the existence is the team's own (decisions §9). */
const members = (status: number, request: Request, reported = 403): Row => ({
  statuses: [401, 401, reported, status, status, status, status],
  request,
});
const administrators = (status: number): Row => ({ statuses: [401, 401, 403, 403, 403, 403, status] });
/** Others do not learn that it is there. */
const hiddenAdministrators = (status: number, request: Request = {}): Row => ({
  statuses: [401, 401, 404, 404, 404, 404, status],
  request,
});
const owners = (status: number, request: Request): Row => ({ statuses: [401, 401, 403, 403, status, 403, status], request });

const team = { params: { team: 'cranes' } };
const app = { params: { app: 'berth' } };
const env = { params: { app: 'berth', env: 'development' } };
const service = { params: { ...env.params, service: 'berth' } };
const revision = { params: { ...service.params, revision: 'berth-1' } };
const pipeline = { params: { pipelineId: 'pl-done' } };
const group = { params: { ...env.params, group: 'database' } };
const noGroup = { params: { ...service.params, group: 'nothing' } };
const image = { params: { ...env.params, repository: 'nothing', tag: 'none' } };
const robot = { ...env.params, robot: 'nobody' };
const webhook = { ...env.params, webhook: 'nothing' };
const delivery = { ...webhook, delivery: 'msg_0' };
const channel = { ...team.params, channel: 'chan_0' };
const request = { params: { request: 'REQ-1' } };
const flag = { params: { app: 'berth', flag: 'nothing' } };
const flagIn = { params: { ...env.params, flag: 'nothing' } };
const flagGroup = { params: { app: 'berth', group: 'nothing' } };
const flagKey = { params: { ...env.params, key: 'nothing' } };
const wrong = { body: { nothing: 'of this' } };

const ownRows: Readonly<Record<string, Row>> = {
  applicationUpdate: owners(400, { ...app, ...wrong }),
  teamUpdate: owners(400, { ...team, ...wrong }),
  // The platform
  runtimeConfigView: everybody(),
  healthView: everybody(),
  readinessView: everybody(),
  metricsView: everybody(),
  eventStream: signedIn(200),

  // Identities
  meView: signedIn(200),
  mePhoto: signedIn(404),
  mePhotoSet: signedIn(400, wrong),
  identityPhotoSet: { ...administrators(400), request: { params: { identityId: 'mats' }, ...wrong } },
  meTokenList: signedIn(200),
  meTokenCreate: signedIn(400, wrong),
  meSessionsDelete: signedIn(204),
  meTokenDelete: signedIn(404, { params: { tokenId: 'tok_of_nobody' } }),
  userSearch: signedIn(200, { query: { query: 'olg' } }),
  identityList: signedIn(200),
  identityView: signedIn(200, { params: { identityId: 'olga' } }),
  serviceAccountCreate: owners(400, { ...team, ...wrong }),
  serviceAccountTokenCreate: owners(400, { params: { team: 'cranes', identityId: 'robot-1' }, ...wrong }),

  // Teams
  teamListV1: signedIn(200),
  teamView: signedIn(200, team),
  teamViewV1: signedIn(200, team),
  teamCreateV1: signedIn(400, wrong),
  teamUpdateV1: owners(400, { ...team, ...wrong }),
  teamDelete: owners(409, team),
  teamDeleteV1: owners(409, team),
  teamActivityList: members(200, team),

  // Apps
  applicationSummaryList: signedIn(200),
  applicationListV1: signedIn(200),
  applicationView: signedIn(200, app),
  applicationCreateV1: signedIn(400, wrong),
  applicationMacIdSet: owners(400, { ...app, ...wrong }),
  applicationUpdateV1: owners(400, { ...app, ...wrong }),
  applicationDelete: owners(409, app),
  applicationDeleteV1: owners(409, app),
  productView: signedIn(404, { params: { productCode: 'MAC-0' } }),
  appActivityList: members(200, env, 404),
  appActivityExport: members(200, env, 404),
  containerRegistryView: members(200, env, 404),
  containerRegistryUpdate: members(400, { ...env, ...wrong }, 404),
  containerRegistryDelete: members(409, env, 404),
  containerRegistryQuotaSet: { ...administrators(400), request: { ...env, ...wrong } },
  imageRepositoryList: members(200, env, 404),
  imageRepositoryDelete: members(404, image, 404),
  imageTagList: members(404, image, 404),
  imageTagView: members(404, image, 404),
  imageTagDelete: members(404, image, 404),
  scanOverviewView: members(200, env, 404),
  imageScanView: members(404, image, 404),
  imageScanCreate: members(404, image, 404),
  imageVulnerabilityList: members(404, image, 404),
  imagePackageList: members(404, image, 404),
  imageSbomDownload: members(404, image, 404),
  advisorySetList: hiddenAdministrators(200),
  advisorySetImport: hiddenAdministrators(400, { query: { set: 'npm' }, ...wrong }),
  advisorySetDelete: hiddenAdministrators(404, { params: { set: 'nothing' } }),
  retentionPreview: members(200, env, 404),
  robotAccountDelete: members(204, { params: robot }),
  robotAccountChoose: members(409, env, 404),
  flagList: members(200, app, 404),
  flagView: members(404, flag, 404),
  flagCreate: members(400, { ...app, ...wrong }, 404),
  flagUpdate: members(404, { ...flag, body: {} }, 404),
  flagDelete: members(404, flag, 404),
  flagSettingsUpdate: members(404, { ...flagIn, body: { basedOn: 1 } }, 404),
  flagVersionList: members(404, flagIn, 404),
  flagVersionRestore: members(404, { params: { ...flagIn.params, version: '1' }, body: { basedOn: 1 } }, 404),
  flagPreview: members(404, { ...flagIn, body: { attributes: {} } }, 404),
  // Promotion of an app
  appPromotionView: members(200, app, 404),
  appPromote: members(400, { ...app, ...wrong }, 404),

  flagGroupList: members(200, app, 404),
  flagGroupView: members(404, flagGroup, 404),
  flagGroupCreate: members(400, { ...app, ...wrong }, 404),
  flagGroupUpdate: members(404, { ...flagGroup, body: { values: [] } }, 404),
  flagGroupDelete: members(404, flagGroup, 404),
  flagKeyList: members(200, env, 404),
  flagKeyView: members(404, flagKey, 404),
  flagKeyCreate: members(400, { ...env, ...wrong }, 404),
  flagKeyUpdate: members(404, { ...flagKey, body: {} }, 404),
  flagKeyDelete: members(404, flagKey, 404),
  flagKeyRotate: members(404, { ...flagKey, body: {} }, 404),
  webhookDeliveryView: members(404, { params: delivery }, 404),
  webhookDeliveryResend: members(404, { params: delivery }, 404),

  // Notifications
  noticeList: signedIn(200),
  needList: signedIn(200),
  noticeUpdate: signedIn(404, { params: { notice: 'ntc_0' }, body: { state: 'READ' } }),
  noticeReadAll: signedIn(204),
  noticePreferenceView: signedIn(200),
  noticePreferenceUpdate: signedIn(400, wrong),
  notificationChannelList: members(200, team),
  notificationChannelCreate: owners(400, { ...team, ...wrong }),
  notificationChannelUpdate: owners(404, { params: channel, body: {} }),
  notificationChannelDelete: owners(404, { params: channel }),
  notificationChannelTest: owners(404, { params: channel }),
  notificationDeliveryList: members(200, team),
  mailOutboxList: hiddenAdministrators(200),

  // Quickstart
  quickstartTemplateList: signedIn(200),
  quickstartApplicationCreate: signedIn(400, wrong),
  quickstartServiceCreate: {
    statuses: [401, 401, 403, 400, 400, 400, 400],
    request: { body: { app: 'berth', name: 'other-name', template: 'node-web' } },
  },
  quickstartPipelineView: signedIn(200, pipeline),

  // Services and revisions
  serviceList: signedIn(200, env),
  serviceView: signedIn(200, service),
  serviceCreate: members(400, { ...env, ...wrong }),
  repositoryList: members(200, app),
  serviceCopy: members(400, { ...service, ...wrong }),
  serviceRepositorySet: members(400, { ...service, ...wrong }),
  serviceYamlView: members(200, service),
  serviceYamlUpdate: members(400, { ...service, ...wrong }),
  serviceSettingsView: members(200, service),
  serviceUpdate: members(400, { ...service, ...wrong }),
  serviceRollback: members(400, { ...service, ...wrong }),
  serviceDeploy: members(400, { ...service, ...wrong }),
  serviceActivation: members(400, { ...service, ...wrong }),
  serviceDelete: members(409, service),
  serviceChangeRequest: members(400, { ...env, ...wrong }),
  serviceApprovalView: members(200, service, 404),
  serviceBasicAuthRotate: members(409, service),
  serviceAccessTokenCreate: members(404, { params: { ...service.params, service: 'nothing' } }),
  serviceTagList: members(200, service),
  servicePipelineList: signedIn(200, service),
  revisionList: signedIn(200, service),
  revisionView: signedIn(200, revision),
  revisionDiagnosis: signedIn(200, revision),
  revisionMetrics: signedIn(200, revision),
  serviceMetrics: signedIn(200, service),
  serviceScrape: members(200, service, 404),
  serviceTraceList: members(200, service, 404),
  serviceTraceView: members(404, { params: { ...service.params, traceId: 'a'.repeat(32) } }, 404),
  revisionInstances: signedIn(200, revision),
  revisionActivation: members(400, { ...revision, ...wrong }),
  revisionDelete: members(409, revision),
  revisionLogs: members(200, revision, 404),
  revisionSourceChanges: members(200, { ...revision, query: { since: revision.params.revision } }, 404),

  // Secret groups: nothing of them is for strangers
  secretGroupView: members(200, group, 404),
  secretGroupDelete: members(409, group, 404),
  secretVersionList: members(200, group, 404),
  secretVersionDelete: members(409, { params: { ...group.params, version: '1' } }, 404),
  secretVersionRestore: members(404, { params: { ...group.params, version: '9' } }, 404),
  secretVersionCompare: members(200, { ...group, query: { with: 1 } }, 404),
  secretEnvironmentCompare: members(200, app, 404),
  // A value is for members alone, also where administrators may do everything else (decisions §2).
  secretReveal: {
    statuses: [401, 401, 404, 404, 404, 404, 403],
    request: { ...noGroup, body: { key: 'PASSWORD', version: 1, reason: 'The permission table asks' } },
  },
  secretKeyExpiry: members(400, { params: { ...group.params, key: 'PASSWORD' }, ...wrong }, 404),
  secretGroupRestart: members(409, { ...group, body: { services: ['nobody'] } }, 404),
  serviceSecretGroupList: members(200, service, 404),
  serviceSecretGroupAttach: members(404, { ...noGroup, body: {} }, 404),
  serviceSecretGroupDetach: members(404, noGroup, 404),

  // Databases
  databaseOptionsView: members(200, env, 404),

  // The platform
  platformHealthView: administrators(200),
  operationsView: hiddenAdministrators(200),
  activityList: hiddenAdministrators(200),
  activityExport: hiddenAdministrators(200),
  demoSceneView: administrators(200),
  demoSceneFill: administrators(202),
  demoSceneRemove: administrators(202),
  installationView: administrators(200),
  installationUpdate: administrators(400),

  // Freeze windows
  freezeWindowList: administrators(200),
  freezeWindowCreate: administrators(400),
  freezeWindowUpdate: { ...administrators(400), request: { params: { freezeWindow: 'none' }, ...wrong } },
  freezeWindowEnd: { ...administrators(404), request: { params: { freezeWindow: 'none' } } },
  appFreezeView: signedIn(200, env),
  appMapView: signedIn(200, env),
  teamMapView: members(200, { params: { ...team.params, env: 'development' } }),
  freezeOverrideCreate: members(409, { ...env, body: { reason: 'The permission table asks' } }),

  // Keys
  keyStatusView: administrators(200),
  keyRotationCreate: administrators(409),

  // Pipelines
  pipelineList: signedIn(200),
  pipelineView: signedIn(200, pipeline),
  pipelineViewV1: signedIn(200, pipeline),
  pipelineCancel: members(409, pipeline),
  pipelineRerun: members(409, pipeline),
  pipelineStopWaiting: members(409, pipeline),
  pipelineStepLogs: members(200, { params: { ...pipeline.params, step: 'CheckNames' } }),
};
const mac = { params: { appId: 'MAC-1' }, headers: { 'Mac-App-Id': 'MAC-1' } };
const noEntry = {
  params: { appId: 'none', platformId: 'none', portfolioId: 'none', productId: 'none', requestId: 'REQ-0', labelId: 'none' },
};
const noImport = { params: { importId: 'none' } };
const catalogHeaders = Object.fromEntries(['App', 'Platform', 'Portfolio', 'Product'].map((kind) => [`Mac-${kind}-Id`, 'none']));
const catalogKinds = ['catalogApplication', 'catalogPlatform', 'catalogPortfolio', 'catalogProduct'];
/** Approvers are administrators that are people here. */
const approversAlone = (status: number, request: Request, refused = 403): Row => ({
  statuses: [401, 401, refused, refused, refused, refused, status],
  request,
});
const decision = { status: 'APPROVED' };
/** Olga owns the application MAC-1. */
const catalogRows: Readonly<Record<string, Row>> = {
  ...Object.assign(
    {},
    ...catalogKinds.map((kind) => ({
      [`${kind}List`]: signedIn(200),
      [`${kind}View`]: signedIn(404, noEntry),
      [`${kind}Create`]: signedIn(400, wrong),
      [`${kind}Update`]: signedIn(400, { ...noEntry, headers: catalogHeaders, ...wrong }),
      [`${kind}Patch`]: signedIn(404, { ...noEntry, headers: catalogHeaders, body: {} }),
      [`${kind}Decommission`]: signedIn(404, { ...noEntry, headers: catalogHeaders, body: {} }),
      [`${kind}History`]: signedIn(404, noEntry),
      [`${kind}Requests`]: signedIn(404, noEntry),
    })),
  ),
  catalogApplicationDecommission: { ...owners(400, { ...mac, body: {} }), statuses: [401, 401, 403, 403, 400, 403, 403] },
  catalogApplicationPatch: approversAlone(
    400,
    { params: { appId: 'MAC-2' }, headers: { 'Mac-App-Id': 'MAC-2' }, body: { status: 'ACTIVE' } },
    400,
  ),
  catalogApplicationOwnersDecide: signedIn(404, { ...mac, query: { requestId: 'REQ-0' }, body: decision }),
  catalogApplicationApprovalDecide: signedIn(404, { params: { appId: 'MAC-1', requestId: 'REQ-0' }, headers: mac.headers, body: decision }),
  catalogIssueCreate: signedIn(409, { params: { appId: 'MAC-2' }, body: { comments: 'The permission table asks' } }),
  catalogAttestationSet: signedIn(409, { params: { appId: 'MAC-2' } }),
  catalogAppUnlink: signedIn(409, { params: mac.params, body: { reason: 'The permission table asks' } }),
  catalogBulkChange: signedIn(400, wrong),
  catalogPlatformProducts: signedIn(404, noEntry),
  catalogPortfolioPlatforms: signedIn(404, noEntry),
  catalogProductApplications: signedIn(404, noEntry),
  catalogProductApplicationsSet: signedIn(404, { ...noEntry, headers: catalogHeaders, body: { applicationIds: [] } }),
  catalogRequestView: signedIn(404, noEntry),
  catalogRequestDecide: signedIn(404, { ...noEntry, body: decision }),
  catalogRequestComment: signedIn(404, { ...noEntry, body: { text: 'The permission table asks' } }),
  catalogRequestAssign: signedIn(404, { ...noEntry, body: { assignedTo: ['ada'], comment: 'The permission table asks' } }),
  catalogRequestsDecide: signedIn(400, wrong),
  catalogRequestList: signedIn(200),
  catalogRequestCount: signedIn(200, { params: { status: 'PENDING' } }),
  catalogSearch: signedIn(200),
  catalogPlatformSearch: signedIn(200),
  catalogFuzzySearch: signedIn(200),
  catalogSavedSearchList: signedIn(200),
  catalogSavedSearchCreate: signedIn(400, wrong),
  catalogSavedSearchDelete: signedIn(404, { params: { searchId: 'none' } }),
  catalogMonthlySummary: signedIn(404, { query: { platformId: 'none', summaryMonth: '2026-01' } }),
  catalogSummaryPlatforms: signedIn(200),
  catalogTreeView: signedIn(404, { query: { parent: 'none' } }),
  catalogRiskView: signedIn(404, { query: { platformId: 'none' } }),
  catalogUserSearch: signedIn(200, { query: { search: 'olg' } }),
  catalogAuthorityView: signedIn(200),
  catalogApproverList: signedIn(200),
  catalogApproversSet: { ...administrators(400), request: wrong },
  catalogLabelList: signedIn(200),
  catalogLabelCreate: approversAlone(409, { body: { name: 'core' } }),
  catalogLabelUpdate: approversAlone(404, { ...noEntry, body: {} }),
  identityStandingSet: { ...administrators(400), request: { params: { identityId: 'mats' }, ...wrong } },
  catalogImportCreate: signedIn(400, { body: {} }),
  catalogImportList: signedIn(200),
  catalogImportView: signedIn(404, noImport),
  catalogImportRows: signedIn(404, noImport),
  catalogImportMappingSet: signedIn(404, { ...noImport, body: { mapping: {} } }),
  catalogImportStart: signedIn(404, noImport),
  catalogImportDelete: signedIn(404, noImport),
  catalogImportResult: signedIn(404, noImport),
  catalogBackstageList: signedIn(200),
  catalogAppSuggestionList: signedIn(200, { params: { appId: 'MAC-1' } }),
  catalogEntrySuggestionList: signedIn(200, app),
  catalogOptionsView: signedIn(200),
  catalogOptionUses: administrators(200),
  catalogOptionsSet: { ...administrators(400), request: { params: { list: 'mipLayers' }, ...wrong } },
};
const account = { params: { ...env.params, account: 'nothing' } };
const grant = { params: { grant: 'tg_of_nobody' } };
/**
 * Rows for accounts that do not exist, and for a topic grant that nobody requested.
 * A caller who has no part in a grant does not learn that the grant exists.
 */
const accessRows: Readonly<Record<string, Row>> = {
  accountRightView: members(404, { ...account, query: { name: 'berth.orders' } }, 404),
  requestList: signedIn(200),
  requestCounts: signedIn(200),
  requestView: signedIn(404, request),
  requestDecide: signedIn(404, { ...request, body: { status: 'APPROVED' } }),
  requestBulkDecide: signedIn(400, wrong),
  requestWithdraw: signedIn(404, request),
  requestUpdate: signedIn(404, { ...request, body: { comment: 'The permission table asks' } }),
  requestAssign: signedIn(404, { ...request, body: { assignedTo: ['olga'] } }),
  requestCommentCreate: signedIn(404, { ...request, body: { text: 'The permission table asks' } }),
  requestRaiseAgain: signedIn(404, request),
  topicGrantList: members(200, env, 404),
  topicGrantTeamList: members(200, team),
  topicGrantView: signedIn(404, grant),
  topicGrantApprove: signedIn(404, { ...grant, body: {} }),
  topicGrantDecline: signedIn(404, { ...grant, body: { reason: 'The permission table asks' } }),
  topicGrantRevoke: signedIn(404, { ...grant, body: { reason: 'The permission table asks' } }),
  topicGrantWithdraw: signedIn(404, grant),
};
const inDatabase = { params: { ...env.params, database: 'nothing', backup: 'none' } };
/** Rows for databases that do not exist. */
const backupRows: Readonly<Record<string, Row>> = {
  databaseBackupListAll: members(200, env, 404),
  databaseBackupView: members(404, inDatabase, 404),
  databaseBackupDelete: members(404, inDatabase, 404),
  databaseBackupCheck: members(404, inDatabase, 404),
  databaseBackupRestore: members(400, { ...inDatabase, ...wrong }, 404),
};

const schema = { params: { ...env.params, schema: 'nothing' } };
const topic = { params: { ...env.params, topic: 'nothing' } };
/** Rows for schemas and topics that do not exist. */
const streamingRows: Readonly<Record<string, Row>> = {
  streamingInfoView: signedIn(200, env),
  streamCreate: members(400, { ...env, ...wrong }),
  schemaVersionView: signedIn(404, { params: { ...schema.params, version: '1' } }),
  schemaDraftCheck: signedIn(400, { ...env, ...wrong }),
  topicMessageProduce: members(404, { ...topic, body: { value: 'nothing' } }),
};

const byAccess = (access: Access, status: number, request: Request): Row => {
  if (access === 'signedIn') return signedIn(status, request);
  if (access === 'appOwner' || access === 'teamOwner') return owners(status, request);
  return members(status, request, access === 'appMemberHidden' ? 404 : 403);
};
/** Returns the rows that every entity has: its list, an entity that does not exist, and refused forms. */
const resourceRows = ({ shape, list, view, create, update, remove }: SomeResource): Record<string, Row> => {
  const place = { params: { ...team.params, ...env.params } };
  const none = { params: { ...place.params, [shape.name]: 'nothing' } };
  const missing = errorCatalogue[shape.codes.missing].status;
  const row = (route: RouteShape | undefined, status: number, request: Request) =>
    route && { [route.id]: byAccess(route.access, status, request) };
  return {
    ...row(list, 200, place),
    ...row(view, missing, none),
    ...row(create, 400, { ...place, ...wrong }),
    ...row(update, 400, { ...none, ...wrong }),
    ...row(remove, missing, none),
  };
};

/** Returns the rows of routes below one entity that does not exist: its actions and views. */
const actionRows = ({ shape, view }: SomeResource): Record<string, Row> => {
  const none: Readonly<Record<string, string>> = { ...team.params, ...env.params, [shape.name]: 'nothing' };
  const isBelow = ({ path }: RouteShape): boolean =>
    view !== undefined &&
    path.startsWith(`${view.path}/`) &&
    [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => Object.hasOwn(none, name));
  return Object.fromEntries(
    routes.filter(isBelow).map(({ id, access, body }) => {
      const isRefused = body !== undefined && !body.safeParse(wrong.body).success;
      const status = isRefused ? 400 : errorCatalogue[shape.codes.missing].status;
      return [id, byAccess(access, status, { params: none, ...(body && wrong) })];
    }),
  );
};

const monitor = { params: { ...env.params, monitor: 'nothing', errorId: 'none', session: 'none', release: 'none', file: 'none' } };
/** Rows for browser monitors that do not exist. */
const monitorRows: Readonly<Record<string, Row>> = {
  monitorUpdate: members(404, { ...monitor, body: {} }),
  monitorKeyRotate: members(404, { ...monitor, body: {} }),
  monitorForward: members(400, { ...monitor, ...wrong }),
  monitorErase: members(400, { ...monitor, ...wrong }),
  monitorSourceMapList: members(404, monitor),
  monitorSourceMapUpload: members(400, { ...monitor, ...wrong }),
  monitorSourceMapDelete: members(404, monitor),
  monitorVitalsView: members(404, monitor),
  monitorErrorList: members(404, monitor),
  monitorErrorView: members(404, monitor),
  monitorErrorUpdate: members(400, { ...monitor, ...wrong }),
  monitorSessionList: members(404, monitor),
  monitorSessionView: members(404, monitor),
  monitorCallList: members(404, monitor),
};

/** A row of its own goes before that of the kernel. */
export const permissions: Readonly<Record<string, Row>> = {
  ...Object.assign({}, ...resources.flatMap((resource) => [actionRows(resource), resourceRows(resource)])),
  ...ownRows,
  ...backupRows,
  ...catalogRows,
  ...accessRows,
  ...streamingRows,
  ...monitorRows,
};
