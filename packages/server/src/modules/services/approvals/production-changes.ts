/** Requests for changes of production services. A second person approves, which starts the pipeline as it was planned. */
import { isDeepStrictEqual } from 'node:util';
import { sql, type Transaction } from 'kysely';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import { planTextOf } from '@slipway/contract/pipeline/plan.ts';
import { requestKind } from '@slipway/contract/kinds/request.kind.ts';
import type { RequestDifference } from '@slipway/contract/request/request.ts';
import { productionChange, type ServiceApproval } from '@slipway/contract/service/approval.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { carryChanges } from '@slipway/contract/service/settings-diff.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { refuseFrozen } from '#modules/freezes/index.ts';
import type { PlanDraft } from '#modules/pipelines/index.ts';
import {
  commentsOf,
  requestOf,
  seenColumns,
  type NewRequest,
  type RequestKind,
  type RequestRow,
  type SeenRow,
} from '#modules/requests/index.ts';
import type { CreationDeps } from '../create-service.ts';
import { mayPassFreeze, type AnyChange, type Prepare, type Prepared } from '../operation.ts';
import type { By } from '../service-context.ts';
import { lockService, serviceRow, type ServiceKey } from '../services.sql.ts';
import { changeText } from '../settings/change-text.ts';
import { labelsOf } from '../settings/settings.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { approversIn, approvingTeam, changesOf, voidChanges } from './approval-rule.ts';
import { operationOf } from './operations.ts';

type Trx = Transaction<DB>;

/** Content of a request: the write as it was sent, and its plan. */
interface StoredChange {
  readonly operation: string;
  readonly change: AnyChange;
  readonly key: ServiceKey;
  readonly team: string;
  readonly origin: By['origin'];
  readonly plan: PlanDraft;
  /** The settings that the change asks for. */
  readonly settings?: ServiceSettings;
  /** The person whose pushed image the platform wants to deploy. */
  readonly pushedBy?: string;
  /** The pipeline that the approval started. A re-run of it needs no other approval. */
  readonly pipelineId?: string;
}
const stored = ({ payload }: Pick<RequestRow, 'payload'>): StoredChange => payload as StoredChange;

/** Holds the values that must be the same at the approval: plan, image behind its tag, and state of the service. */
interface Fit {
  readonly plan: Pick<PlanDraft, 'pipelineType' | 'steps' | 'changes' | 'image' | 'secretVersions'>;
  readonly digest: string | null;
  readonly service: {
    readonly id: string;
    readonly settingsVersion: number;
    readonly active: boolean;
    readonly serving: readonly string[];
  } | null;
}
const fitOf = async (trx: Trx, key: ServiceKey, { draft, digest }: Prepared): Promise<Fit> => {
  const { pipelineType, steps, changes = [], image = null, secretVersions = [] } = draft;
  const row = await serviceRow(trx, key);
  const fit: Fit = {
    plan: { pipelineType, steps, changes, image, secretVersions },
    digest: digest ?? null,
    service: row ? { id: row.id, settingsVersion: row.settings_version, active: row.active, serving: row.serving } : null,
  };
  // As the database stores it.
  return JSON.parse(JSON.stringify(fit)) as Fit;
};
const whyUnfit = (base: Fit, now: Fit): string | undefined => {
  if (isDeepStrictEqual(base, now)) return undefined;
  if (base.service?.id !== now.service?.id) return 'The service was deleted or made meanwhile';
  if (base.service?.settingsVersion !== now.service?.settingsVersion) return 'The settings changed meanwhile';
  if (base.digest !== now.digest)
    return base.plan.pipelineType === 'ConnectRepository'
      ? 'The repository has newer commits now'
      : 'The image tag names another image now';
  if (!isDeepStrictEqual(base.service, now.service)) return 'Another revision serves now';
  return 'The change would do something else now';
};

const titleOf = ({
  operation,
  key: { service },
  change: { params, environment, body },
  plan,
}: Omit<StoredChange, 'team' | 'origin'>): string => {
  const wanted = isRecord(body) ? body : {};
  const titles: Readonly<Record<string, () => string>> = {
    serviceCreate: () => `Make the service ${service}`,
    serviceCopy: () => `Copy ${params['service']} of ${environment} to ${service}`,
    serviceUpdate: () => `Change settings of ${service}: ${labelsOf(plan.changes ?? [])}`,
    serviceYamlUpdate: () => `Change settings of ${service}: ${labelsOf(plan.changes ?? [])}`,
    serviceRepositorySet: () =>
      wanted['githubRepositoryName'] === null ? `Disconnect ${service} from its repository` : `Connect ${service} to a repository`,
    serviceDeploy: () => `Deploy ${service} with ${String(wanted['imageTag'])}`,
    serviceActivation: () => `${wanted['active'] === true ? 'Activate' : 'Deactivate'} ${service}`,
    serviceDelete: () => `Delete ${service}`,
    revisionActivation: () => `${wanted['enabled'] === true ? 'Enable' : 'Disable'} the revision ${params['revision']}`,
    revisionDelete: () => `Delete the revision ${params['revision']}`,
  };
  return (titles[operation]?.() ?? `Change ${service}`).slice(0, 300);
};

/** A write that is ready to be planned in a transaction, or the reason why it is not possible. */
class ReadyChange {
  readonly #prepare: Prepare | Problem;
  #prepared: { readonly trx: Trx; readonly result: Prepared } | undefined;
  constructor(prepare: Prepare | Problem) {
    this.#prepare = prepare;
  }
  /** Throws a Problem. A retried transaction prepares again. */
  async prepared(trx: Trx): Promise<Prepared> {
    if (this.#prepare instanceof Problem) throw this.#prepare;
    if (this.#prepared?.trx !== trx) this.#prepared = { trx, result: await this.#prepare(trx) };
    return this.#prepared.result;
  }
}
const readyOf = (ready: unknown): ReadyChange => {
  if (!(ready instanceof ReadyChange)) throw new Error('A change was decided without being prepared');
  return ready;
};
/** A problem that passes by itself. The request stays pending. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof Problem) || error.status >= 500 || ['DeployPipelineAlreadyRunning', 'ProductionFrozen'].includes(error.code);
const noLongerFits = (error: unknown): unknown =>
  error instanceof Problem && !isTemporary(error)
    ? new Problem('ChangeNoLongerFits', { context: { reason: error.message }, cause: error })
    : error;

const requesterOf = (row: Pick<RequestRow, 'requested_by' | 'requested_by_name' | 'payload'>): By => ({
  id: row.requested_by,
  displayName: row.requested_by_name,
  origin: stored(row).origin,
});

/** Whether the requester could still make the change. The platform always can. */
const mayStillChange = async (trx: Trx, { id, origin }: By, { app }: ServiceKey): Promise<boolean> => {
  if (origin === 'platform') return true;
  const { rows } = await sql`select from identity where id = ${id} and left_at is null and (is_administrator or exists (
    select from team_member join app on app.team_id = team_member.team_id where app.id = ${app} and identity_id = identity.id))`.execute(
    trx,
  );
  return rows.length > 0;
};

const contentOf = async (
  trx: Trx,
  prepared: Prepared,
  { team, ...wanted }: Omit<StoredChange, 'plan' | 'settings'>,
): Promise<Omit<NewRequest, 'comment'>> => {
  const { draft, carried, settings } = prepared;
  const plan = { ...draft, ...(carried ? { changes: [...carried] } : {}) };
  const { key } = wanted;
  const { kind, subjectKind, subjectIds } = changesOf(key);
  const payload: StoredChange = { ...wanted, team, plan, ...(settings ? { settings } : {}) };
  return {
    kind,
    subject: { kind: subjectKind, id: subjectIds[0] ?? '' },
    title: titleOf(payload),
    environment: key.environment,
    deciders: [`app:${key.app}`],
    askers: [`app:${key.app}`],
    payload,
    author: wanted.pushedBy,
    base: await fitOf(trx, key, prepared),
  };
};

const subjectIn = ({ key: { app, environment: env, service }, team }: StoredChange): Subject =>
  subjectOf(serviceKind, { app, env, service }, { team });

export interface Asked {
  readonly operation: string;
  readonly change: AnyChange;
  readonly comment?: string | undefined;
}
/** Checks a change as a dry run does, and asks for its approval. Returns the number of the request. */
export const raiseChange = async (
  deps: CreationDeps,
  caller: By,
  { operation, change, comment, ...asked }: Asked & { readonly pushedBy?: string },
  claim: (trx: Trx) => Promise<boolean> = async () => true,
): Promise<number | undefined> => {
  const { db, requests } = deps;
  const found = operationOf(operation);
  if (!found) throw new Problem('InvalidValue', { field: 'operation' });
  const key = found.key(change);
  const prepare = await found.prepare(deps, { by: caller }, key, change);
  return transaction(db, async (trx) => {
    await lockService(trx, key);
    const team = await approvingTeam(trx, key);
    if (!team) throw new Problem('ApprovalNotNeeded');
    if (!(await claim(trx))) return undefined;
    const wanted = { operation, change, key, team: team.id, origin: caller.origin, ...asked };
    const row = await requests.raise(trx, caller, { ...(await contentOf(trx, await prepare(trx), wanted)), comment });
    await recordWrite(trx, caller, {
      type: 'serviceChangeRequest',
      reason: 'Requested',
      message: `${caller.displayName} asks for an approval: ${row.title}`,
      subject: subjectIn(stored(row)),
      after: { operation, request: `REQ-${row.number}` },
    });
    return row.number;
  });
};

const differencesOf = ({ plan }: StoredChange): RequestDifference[] => {
  const { changes = [], image, secretVersions = [], consequences = [] } = plan;
  return [
    ...(image ? [{ field: 'image', label: 'Image tag', before: image.before, after: image.after }] : []),
    ...changes.map(({ path, label, unit, before, after }) => ({
      field: path,
      label,
      before: changeText(path, before, unit),
      after: changeText(path, after, unit),
    })),
    ...secretVersions.map(({ group, before, after }) => ({
      field: `secretGroup.${group}`,
      label: `Version of ${group}`,
      before: before === null ? null : String(before),
      after: after === null ? null : String(after),
    })),
    ...consequences.map((one, index) => ({ field: `effect.${index}`, label: 'What happens', before: null, after: planTextOf(one) })),
  ];
};

/** The change for another request. Settings are carried over to the settings of today, so nothing else is reverted. */
const repeated = async (trx: Db, { operation, change, key, settings, plan }: StoredChange): Promise<Omit<Asked, 'comment'>> => {
  const row = settings && (await serviceRow(trx, key));
  if (!row || !settings) return { operation, change };
  const body = carryChanges(
    settingsOf(row),
    settings,
    (plan.changes ?? []).map(({ path }) => path),
  );
  const { params, environment } = change;
  return { operation: 'serviceUpdate', change: { params, environment, body } };
};

export const productionChangeKind = (deps: CreationDeps): RequestKind => ({
  kind: productionChange,
  workingDays: 1,
  isOfAskers: true,
  mayDecide: (_row, caller) => (caller.type !== 'USER' || caller.isAutomation ? 'ApproverMustBePerson' : true),
  lock: async (trx, row) => {
    await lockService(trx, stored(row).key);
  },
  prepare: async (db, row, again) => {
    const { key, ...wanted } = stored(row);
    const { operation, change } = again ? await repeated(db, stored(row)) : wanted;
    const found = operationOf(operation);
    if (!found) throw new Problem('RequestDoesNotExist');
    try {
      const author = { by: again ?? requesterOf(row), isPinned: true };
      return new ReadyChange(await found.prepare(deps, author, key, change));
    } catch (error) {
      if (error instanceof Problem && !isTemporary(error)) return new ReadyChange(error);
      throw error;
    }
  },
  voidReason: async (trx, row, ready) => {
    const { key } = stored(row);
    const requester = requesterOf(row);
    if (!(await mayStillChange(trx, requester, key))) return `${requester.displayName} may no longer change ${key.service}`;
    try {
      return whyUnfit(row.base as Fit, await fitOf(trx, key, await readyOf(ready).prepared(trx)));
    } catch (error) {
      if (error instanceof Problem && !isTemporary(error)) return error.message;
      throw error;
    }
  },
  approve: async ({ trx, row, caller, ready }) => {
    const { key, operation, change } = stored(row);
    const found = operationOf(operation);
    if (!found || !mayPassFreeze(found, change)) await refuseFrozen(trx, key);
    const { start } = await readyOf(ready).prepared(trx);
    const pipelineId = await start(trx).catch((error: unknown) => {
      throw noLongerFits(error);
    });
    const payload = JSON.stringify({ ...stored(row), pipelineId });
    await trx.updateTable('request').set({ payload }).where('number', '=', row.number).execute();
    await voidChanges(trx, deps.requests, key, `${caller.displayName} approved another change of the service`);
    return { reason: 'Approved', pipelineId };
  },
  raiseAgain: async (trx, row, caller, ready) => {
    const { key, team: _former, plan: _plan, settings: _settings, ...former } = stored(row);
    const team = await approvingTeam(trx, key);
    if (!team) throw new Problem('ApprovalNotNeeded');
    const again = { ...former, ...(await repeated(trx, stored(row))), key, team: team.id, origin: caller.origin };
    try {
      return await contentOf(trx, await readyOf(ready).prepared(trx), again);
    } catch (error) {
      throw noLongerFits(error);
    }
  },
  sync: (db) => voidOrphans(db, deps),
  differences: (row) => differencesOf(stored(row)),
  subject: (row) => subjectIn(stored(row)),
  hints: (row): ChangeHint[] => {
    const { app, environment: env, service } = stored(row).key;
    return [{ kind: serviceKind.kind, app, env, service }, { kind: requestKind.kind }];
  },
});

/** Voids requests of apps that were deleted, also if another app has the id now: nobody could decide them. */
const voidOrphans = async (db: Db, { requests }: CreationDeps): Promise<void> => {
  const { rows } = await sql<{ number: number; subject_id: string }>`select number, subject_id from request
    where kind = ${productionChange} and status = 'PENDING'
      and not exists (select from app where app.id = payload -> 'key' ->> 'app' and app.created_at <= requested_at) limit 100`.execute(db);
  const of = { kind: productionChange, subjectKind: serviceKind.kind, subjectIds: rows.map((row) => row.subject_id) };
  const orphans = new Set(rows.map(({ number }) => number));
  const reason = ({ number }: RequestRow) => (orphans.has(number) ? 'The app was deleted' : undefined);
  if (rows.length > 0) await transaction(db, (trx) => requests.void(trx, of, reason));
};

const mostShown = 20;
/** Who approves changes of a service, and what waits. The caller is a member. */
export const approvalOf = async ({ db, requests }: CreationDeps, caller: Caller, key: ServiceKey): Promise<ServiceApproval> => {
  const team = await approvingTeam(db, key);
  const [subject = ''] = changesOf(key).subjectIds;
  const keys = sql<string[]>`${[`app:${key.app}`, `person:${caller.id}`]}::text[]`;
  const { rows } = await sql<SeenRow>`select ${seenColumns({ keys, open: sql<boolean>`false`, caller })} from request
    where kind = ${productionChange} and subject_kind = ${serviceKind.kind} and subject_id = ${subject} and status = 'PENDING'
      and deciders && ${keys} order by number limit ${mostShown}`.execute(db);
  const found = [];
  for (const row of rows) found.push(requestOf(requests.kindOf(row), row, caller, await commentsOf(db, row.number)));
  return { isRequired: team !== undefined, approvers: team ? await approversIn(db, team.id, caller) : [], requests: found };
};
