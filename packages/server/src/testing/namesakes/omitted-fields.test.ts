// @long (shared process): omits every field of every body
/**
 * A PUT that omits a field leaves it as it is, or is refused at that field; it never sets a default. Every field of every such body of the
 * contract is omitted alone, and what is stored is read before and after.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationMacIdSet, applicationUpdate, applicationUpdateV1, applicationView } from '@slipway/contract/application.ts';
import {
  databaseActivation,
  databaseCreate,
  databaseReader,
  databaseUpdate,
  databaseView,
  type Database,
} from '@slipway/contract/database/database.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { containerRegistryQuotaSet, containerRegistryUpdate, containerRegistryView } from '@slipway/contract/registry/project.ts';
import {
  robotAccountActivate,
  robotAccountCreate,
  robotAccountUpdate,
  robotAccountView,
} from '@slipway/contract/registry/robot-account.ts';
import { flagCreate, flagSettingsUpdate, flagUpdate, flagView, type Flag } from '@slipway/contract/flag/flag.ts';
import { flagGroupCreate, flagGroupUpdate, flagGroupView } from '@slipway/contract/flag/flag-group.ts';
import { flagKeyCreate, flagKeyUpdate, flagKeyView } from '@slipway/contract/flag/flag-key.ts';
import { monitorCreate, monitorForward, monitorUpdate, monitorView, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { monitorErrorUpdate, monitorErrorView } from '@slipway/contract/monitoring/readings.ts';
import { webhookCreate, webhookUpdate, webhookView } from '@slipway/contract/registry/webhook.ts';
import { routes } from '@slipway/contract/routes.ts';
import {
  secretGroupCreate,
  secretGroupUpdate,
  secretGroupView,
  secretKeyExpiry,
  serviceSecretGroupAttach,
  serviceSecretGroupList,
} from '@slipway/contract/secret/secret-group.ts';
import { revisionActivation } from '@slipway/contract/service/revision.ts';
import {
  serviceRepositorySet,
  serviceSettingsView,
  serviceUpdate,
  serviceYamlUpdate,
  type ServiceSettingsView,
} from '@slipway/contract/service/service-operations.ts';
import { serviceActivation } from '@slipway/contract/service/service.ts';
import { accountCreate, accountUpdate, accountView } from '@slipway/contract/streaming/account.ts';
import { schemaCreate, schemaUpdate, schemaView } from '@slipway/contract/streaming/schema.ts';
import { topicCreate, topicUpdate, topicView } from '@slipway/contract/streaming/topic.ts';
import { teamUpdate, teamUpdateV1, teamView } from '@slipway/contract/team.ts';
import type { Actor } from '../actors.ts';
import { testApp, type TestApp } from '../app.ts';
import { seedApp, seedService } from '../fixtures.ts';
import { carryOut, type Place, type World, type Write } from './write.ts';

const place: Place = { app: 'berth', env: 'development' };
const schemaText = (name: string) => JSON.stringify({ type: 'record', name, fields: [{ name: 'berth', type: 'string' }] });
const database = { displayName: 'Plans', plan: 'BURSTABLE_2', storageGb: 64, maxConnections: 21, backupRetentionDays: 9 };
const robot = { description: 'Builds', permissions: ['pull'], expiresOn: '2999-01-31' };
const hook = {
  description: 'Notes',
  targetUrl: 'http://127.0.0.2:8080/',
  eventTypes: ['PUSH_ARTIFACT'],
  authorization: 'Bearer none',
  skipCertificateVerification: true,
  enabled: false,
};
const moves = { resourceId: 'moves' };
const topic = {
  description: 'Orders',
  tags: ['orders'],
  spec: {
    dataSecurityClassification: 'RESTRICTED',
    isSharable: false,
    partitionNumber: 1,
    retentionHours: 48,
    segmentBytes: 67_108_864,
    cleanupPolicy: 'COMPACT',
  },
};
const account = { description: 'Reads', produceTopics: [{ resourceId: 'orders' }], consumeTopics: [{ resourceId: 'orders' }] };
const uses = [{ name: 'Move', resourceId: 'moves', revisionId: 1 }];
const policy = {
  isPublic: true,
  preventVulnerableImages: true,
  severity: 'low',
  retention: { keepNewest: 3, keepDays: 4, keepPattern: 'v.*' },
  allowedCves: [
    { cveId: 'CVE-2026-1', reason: 'Is not reached', expiresAt: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) },
  ],
};

const monitor = { allowedOrigins: ['https://plans.example.com'], samplePercent: 40, retentionDays: 90 };
const recordError = ({ app: { database: kept } }: World) =>
  kept.pool
    .query(`insert into monitor_error (id, monitor_id, type, message, culprit, frames, n, first_at, first_release, last_at, last_release)
    select 'err_0', id, 'Error', 'boom', '', '[]', 1, now(), '', now(), '' from monitor`);

const made: readonly Write[] = [
  { route: secretGroupCreate, request: { body: { name: 'keys', entries: [{ key: 'PASSWORD', value: 'one' }], autoAttach: false } } },
  { route: secretGroupUpdate, request: { params: { group: 'keys' }, body: { autoAttach: true } } },
  {
    route: serviceSecretGroupAttach,
    request: { params: { service: 'berth', group: 'keys' }, body: { exposeAsEnvironment: false } },
  },
  { route: databaseCreate, request: { body: { ...database, name: 'plans', region: 'WESTEUROPE' } } },
  { route: schemaCreate, request: { body: { name: 'moves', content: schemaText('Move'), compatibility: 'FULL' } } },
  {
    route: schemaCreate,
    request: { body: { name: 'plans', content: schemaText('Plan'), compatibility: 'FULL', references: uses } },
  },
  { route: topicCreate, request: { body: { ...topic, name: 'orders', spec: { ...topic.spec, keySchema: moves, valueSchema: moves } } } },
  { route: accountCreate, request: { body: { ...account, name: 'reader' } } },
  { route: robotAccountCreate, request: { body: { ...robot, name: 'ci' } } },
  { route: webhookCreate, request: { body: { ...hook, name: 'notes' } } },
  { route: flagCreate, request: { body: { name: 'shell', description: 'Old' } } },
  { route: flagGroupCreate, request: { body: { name: 'crew', description: 'Crew', values: ['mats'] } } },
  { route: flagKeyCreate, request: { body: { name: 'web', mode: 'REMOTE' } } },
  { route: monitorCreate, request: { body: { ...monitor, name: 'plans-web' } }, after: recordError },
  { route: containerRegistryUpdate, request: { body: policy } },
  { route: containerRegistryQuotaSet, actor: 'administrator', request: { body: { quotaBytes: 2 ** 40 } } },
];

interface Put {
  readonly route: RouteShape;
  readonly params?: Readonly<Record<string, string>>;
  /** Every field of the body, as it is stored; its defaults are other values. */
  readonly body: object | (() => Promise<object>);
  /** Route that reads the stored values. If absent, every field of the body is required. */
  readonly view?: RouteShape;
  /** The part of the view that has the fields of the body. */
  readonly part?: (view: never) => unknown;
  readonly actor?: Actor;
}
let app: TestApp;
const call = (actor: Actor, route: RouteShape, params: Readonly<Record<string, string>> = {}, body?: unknown) =>
  app.call(actor, route, { params: { ...place, ...params }, ...(body === undefined ? {} : { body }) });
const team = {
  displayName: 'Team cranes',
  ownerIds: ['olga'],
  memberIds: ['mats', 'robot-1'],
  needsProductionApproval: true,
  azureGroupId: 'group-1',
  azureGroupName: 'Crane operators',
  githubTeamId: '42',
  githubTeamName: 'harbor/cranes',
};
const settings = async () => {
  const { body } = await call('member', serviceSettingsView, { service: 'berth' });
  const { githubRepositoryName, active, spec, settingsVersion } = body as ServiceSettingsView;
  return { githubRepositoryName, active, spec, settingsVersion };
};

const puts: readonly Put[] = [
  { route: teamUpdate, params: { team: 'cranes' }, body: team, view: teamView, actor: 'owner' },
  { route: teamUpdateV1, params: { team: 'cranes' }, body: team, view: teamView, actor: 'owner' },
  { route: applicationUpdate, body: { displayName: 'App berth', teamId: 'cranes', macId: 'MAC-1' }, view: applicationView, actor: 'owner' },
  {
    route: applicationUpdateV1,
    body: { displayName: 'App berth', teamId: 'cranes', macId: 'MAC-1' },
    view: applicationView,
    actor: 'owner',
  },
  { route: applicationMacIdSet, body: { macId: 'MAC-1' }, actor: 'owner' },
  { route: serviceUpdate, params: { service: 'berth' }, body: settings, view: serviceSettingsView },
  { route: serviceYamlUpdate, params: { service: 'berth' }, body: { yaml: 'spec: {}\n' } },
  { route: serviceActivation, params: { service: 'berth' }, body: { active: true } },
  { route: revisionActivation, params: { service: 'berth', revision: 'berth-1' }, body: { enabled: true } },
  {
    route: serviceRepositorySet,
    params: { service: 'berth' },
    body: { githubRepositoryName: null, buildNow: false },
    view: serviceSettingsView,
  },
  { route: secretGroupUpdate, params: { group: 'keys' }, body: { autoAttach: true }, view: secretGroupView },
  { route: secretKeyExpiry, params: { group: 'keys', key: 'PASSWORD' }, body: { expiresAt: '2999-01-31' } },
  {
    route: serviceSecretGroupAttach,
    params: { service: 'berth', group: 'keys' },
    body: { exposeAsEnvironment: false },
    view: serviceSecretGroupList,
    part: ([first]: readonly unknown[]) => first,
  },
  { route: databaseUpdate, params: { database: 'plans' }, body: database, view: databaseView },
  { route: databaseActivation, params: { database: 'plans' }, body: { active: true }, view: databaseView, part: (one: Database) => one },
  { route: databaseReader, params: { database: 'plans' }, body: { active: true }, view: databaseView },
  {
    route: schemaUpdate,
    params: { schema: 'plans' },
    body: { content: schemaText('Plan'), compatibility: 'FULL', references: uses, revisionId: 1 },
    view: schemaView,
  },
  { route: topicUpdate, params: { topic: 'orders' }, body: topic, view: topicView },
  { route: accountUpdate, params: { account: 'reader' }, body: { ...account, reason: 'None' }, view: accountView },
  { route: robotAccountUpdate, params: { robot: 'ci' }, body: robot, view: robotAccountView },
  { route: robotAccountActivate, params: { robot: 'ci' }, body: { active: true } },
  { route: webhookUpdate, params: { webhook: 'notes' }, body: hook, view: webhookView },
  { route: flagUpdate, params: { flag: 'shell' }, body: { description: 'New', isArchived: true }, view: flagView },
  {
    route: flagSettingsUpdate,
    params: { flag: 'shell' },
    body: async () => {
      const { body } = await call('member', flagView, { flag: 'shell' });
      const { version, enabled, value, rules } = (body as Flag).development;
      return { basedOn: version, enabled, value, rules, comment: '' };
    },
    view: flagView,
    part: ({ development }: Flag) => development,
  },
  { route: flagGroupUpdate, params: { group: 'crew' }, body: { description: 'Crew', values: ['mats'] }, view: flagGroupView },
  { route: flagKeyUpdate, params: { key: 'web' }, body: { mode: 'REMOTE' }, view: flagKeyView },
  { route: monitorUpdate, params: { monitor: 'plans-web' }, body: monitor, view: monitorView },
  {
    route: monitorForward,
    params: { monitor: 'plans-web' },
    body: { url: 'http://127.0.0.2:8080', authorization: 'Bearer one' },
    view: monitorView,
    part: ({ forwarding }: Monitor) => ({ url: forwarding?.url, authorization: forwarding?.hasAuthorization ? 'Bearer one' : null }),
  },
  { route: monitorErrorUpdate, params: { monitor: 'plans-web', errorId: 'err_0' }, body: { state: 'MUTED' }, view: monitorErrorView },
  {
    route: containerRegistryUpdate,
    body: policy,
    view: containerRegistryView,
    part: ({ policy: stored }: { readonly policy: unknown }) => stored,
  },
  { route: containerRegistryQuotaSet, body: { quotaBytes: 2 ** 40 }, actor: 'administrator' },
];

/** `spec`, `spec.isSharable` …: lists are one field. */
const fieldsOf = (value: unknown, above = ''): string[] =>
  isRecord(value) && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => [`${above}${name}`, ...fieldsOf(inner, `${above}${name}.`)])
    : [];
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
const without = (value: unknown, [name = '', ...rest]: readonly string[]): unknown => {
  if (!isRecord(value)) return value;
  const { [name]: omitted, ...kept } = value;
  return rest.length === 0 ? kept : { ...kept, [name]: without(omitted, rest) };
};
/** The fields that a schema declares, also inside of optional and nullable ones. */
const declaredFields = (schema: unknown, above = ''): string[] => {
  const def = isRecord(at(schema, 'def')) ? at(schema, 'def') : undefined;
  const inner = at(def, 'innerType');
  if (inner !== undefined) return declaredFields(inner, above);
  const shape = at(def, 'shape');
  return isRecord(shape)
    ? Object.entries(shape).flatMap(([name, field]) => [`${above}${name}`, ...declaredFields(field, `${above}${name}.`)])
    : [];
};

beforeAll(async () => {
  app = await testApp({ accountTimings: { signInMs: 500 }, outgoing: { allow: ['127.0.0.2'] } });
  const { db } = app.database;
  await seedApp(db, { id: 'berth', macId: 'MAC-1' });
  await app.adapters.registry.projectEnsure('berth', 'app:berth');
  await seedService(db, {
    app: 'berth',
    change: (spec) => ({ ...spec, containerImageName: `${app.adapters.registry.host}/berth/berth` }),
  });
  for (const write of made) await carryOut(write, { app, receiver: '' }, place);
}, 300_000);
afterAll(() => app?.close());

/** Bodies without stored fields that could be omitted, and the areas whose own tests omit fields. */
const otherBodies: Readonly<Record<string, RegExp>> = {
  'is a decision, an assignment or a mark, whose optional field is a comment': /(?:Decide|Assign)$|^(?:request|notice)Update$/,
  'replaces a list, which is required':
    /^catalog(?:ApproversSet|OptionsSet|ImportMappingSet|ProductApplicationsSet)$|^noticePreferenceUpdate$/,
  'is sent without any field in omitted-fields.test.ts of the catalog':
    /^catalog(?:Application|Platform|Portfolio|Product)(?:Update|Patch)$|^catalogLabelUpdate$/,
  'requires every field': /^(?:freezeWindowUpdate|identityStandingSet|mePhotoSet|identityPhotoSet)$/,
  'is sent without its optional fields in installation.test.ts': /^installationUpdate$/,
  'is sent with one field in deliveries.test.ts': /^notificationChannelUpdate$/,
};

test('every body of a PUT or a PATCH is in the table', () => {
  const known = new Set(puts.map(({ route }) => route.id));
  const bodies = routes.filter(({ method, body }) => (method === 'PUT' || method === 'PATCH') && body !== undefined);
  const isElsewhere = (id: string): boolean => Object.values(otherBodies).some((pattern) => pattern.test(id));
  expect(bodies.map(({ id }) => id).filter((id) => !known.has(id) && !isElsewhere(id))).toEqual([]);
});

describe.each(puts)('$route.id', ({ route, params = {}, body, view, part = (seen) => seen, actor = 'member' }) => {
  test('leaves what is omitted as it is, or refuses it at its field', { timeout: 300_000 }, async () => {
    const stored = async (): Promise<unknown> => view && part((await call(actor, view, params)).body as never);
    const bodyNow = async () => (typeof body === 'function' ? body() : body);
    const full = await bodyNow();
    expect(declaredFields(route.body).filter((field) => !fieldsOf(full).includes(field))).toEqual([]);
    const failures: string[] = [];
    for (const field of fieldsOf(full)) {
      const before = at(await stored(), field);
      const answer = await call(actor, route, params, without(await bodyNow(), field.split('.')));
      if (answer.status >= 400) {
        const { errors } = answer.body as ErrorObject;
        const isNamed = errors.every((error) => error.field === field || error.field?.startsWith(`${field}.`));
        if (!isNamed && !errors.every(({ code }) => code === 'NothingChanged')) failures.push(`${field}: ${JSON.stringify(errors)}`);
        continue;
      }
      const pipelineId = at(answer.body, 'pipelineId');
      if (answer.status === 202 && typeof pipelineId === 'string') await app.ended(pipelineId);
      if (!view) failures.push(`${field}: ${answer.status}`);
      else expect.soft(at(await stored(), field), `${field} was omitted`).toEqual(before);
    }
    expect(failures).toEqual([]);
  });
});
