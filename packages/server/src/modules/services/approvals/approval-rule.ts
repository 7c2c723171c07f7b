/** Changes in production that need the approval of a second person: for which services, and who approves them. */
import { sql, type Transaction } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanApproval } from '@slipway/contract/pipeline/plan.ts';
import type { Who } from '@slipway/contract/request/request.ts';
import { productionChange } from '@slipway/contract/service/approval.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { refuseFrozen } from '#modules/freezes/index.ts';
import type { Requests, RequestRow } from '#modules/requests/index.ts';
import { lockOf, type ServiceKey } from '../services.sql.ts';

const mostApprovers = 20;
type Place = Pick<ServiceKey, 'app' | 'environment'>;

/** The team that demands approval. Undefined if changes need none. */
export const approvingTeam = async (db: Db, { app, environment }: Place): Promise<{ id: string; name: string } | undefined> => {
  if (environment !== 'production') return undefined;
  return db
    .selectFrom('app')
    .innerJoin('team', 'team.id', 'app.team_id')
    .select(['team.id', 'team.display_name as name'])
    .where('app.id', '=', app)
    .where('team.needs_production_approval', '=', true)
    .executeTakeFirst();
};

/** Throws ApprovalRequired. */
export const refuseUnapproved = async (trx: Transaction<DB>, key: Place): Promise<void> => {
  const team = await approvingTeam(trx, key);
  if (team) throw new Problem('ApprovalRequired', { context: { team: team.name } });
};

interface Run {
  readonly type: string;
  readonly pipelineId: string;
  readonly input: object;
}
/**
 * Throws ProductionFrozen while production is frozen, and ApprovalRequired if a re-run would make a change that nobody approved: its run failed
 * before the team demanded approval. Rollbacks and restarts pass.
 */
export const refuseUnapprovedRerun = async (trx: Transaction<DB>, key: ServiceKey, { type, pipelineId, input }: Run): Promise<void> => {
  if (type === 'Rollback') return;
  const { kind, subjectKind, subjectIds } = changesOf(key);
  const { rows } = await sql`select from request where kind = ${kind} and subject_kind = ${subjectKind}
    and subject_id = any(${subjectIds}::text[]) and status = 'APPROVED' and payload ->> 'pipelineId' = ${pipelineId} limit 1`.execute(trx);
  const isApproved = rows.length > 0;
  // An approved deploy names the digest of its image, too.
  if (type === 'Deploy' && 'imageDigest' in input && !isApproved) return;
  const turnsOff = ('active' in input && input.active === false) || ('enabled' in input && input.enabled === false);
  if (!turnsOff) await refuseFrozen(trx, key);
  if (!isApproved) await refuseUnapproved(trx, key);
};

/** People of the team, without the caller and without service accounts. */
export const approversIn = async (db: Db, team: string, caller: { readonly id: string }): Promise<Who[]> => {
  const { rows } = await sql<Who>`select identity.id, identity.display_name as "displayName" from team_member
    join identity on identity.id = team_member.identity_id and identity.type = 'USER' and identity.left_at is null
    where team_member.team_id = ${team} and identity.id <> ${caller.id}
    order by identity.display_name, identity.id limit ${mostApprovers}`.execute(db);
  return rows;
};

interface Asked {
  readonly route: Pick<RouteShape, 'id'>;
  readonly change: {
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly environment: Environment;
    readonly body?: unknown;
  };
}
/** The part of a plan that says who must approve, and what to send for it. */
export const planApproval = async (
  db: Db,
  caller: { readonly id: string },
  key: ServiceKey,
  { route, change: { params, environment, body } }: Asked,
): Promise<{ approval?: PlanApproval }> => {
  const team = await approvingTeam(db, key);
  if (!team) return {};
  const { service, revision } = params;
  const request = {
    operation: route.id,
    ...(service === undefined ? {} : { service }),
    ...(revision === undefined ? {} : { revision }),
    ...(body === undefined ? {} : { body }),
  };
  return { approval: { team: team.name, approvers: await approversIn(db, team.id, caller), app: key.app, environment, request } };
};

/** Pending changes of a service. The subject is the service's name, because a new service has no id. */
export const changesOf = (key: ServiceKey) => ({
  kind: productionChange,
  subjectKind: serviceKind.kind,
  subjectIds: [lockOf(key)],
});

/** Voids the pending changes of a service, in the transaction of a write that overtakes them. */
export const voidChanges = async (
  trx: Transaction<DB>,
  requests: Requests,
  key: ServiceKey,
  reason: Parameters<Requests['void']>[2],
): Promise<RequestRow[]> => (key.environment === 'production' ? requests.void(trx, changesOf(key), reason) : []);
