/** Defines an app's registry project for the resource kernel, with its update and delete pipelines. */
import { sql } from 'kysely';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { containerRegistryResource, registryDeleteRule, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import type { RegistryPolicy, RegistryPolicyUpdate } from '@slipway/contract/registry/policy.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Db } from '#db/database.ts';
import { registryProjectStep } from '#modules/apps/index.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import type { Entity, EntityInput, RowStep } from '#modules/resources/index.ts';
import type { Registry } from '#ports/registry.ts';
import { policyOf, requireSound } from './policy.ts';
import { servicesOf, type RegistryRow } from './registry.sql.ts';

export interface RegistryDeps {
  readonly db: Db;
  readonly registry: Registry;
}
interface Row extends RegistryRow {
  readonly team_id: string;
  readonly services: number;
}
interface View {
  readonly project: string;
  readonly state: ContainerRegistry['state'];
  readonly policy: RegistryPolicy;
  readonly can: Can;
}
type Step = RowStep<RegistryRow, EntityInput>;

/** Returns whether the caller may update and delete the project. Both are refused while another change is being applied. */
export const registryCan = (
  member: ReturnType<typeof memberRule>,
  { state, services }: { readonly state: ContainerRegistry['state']; readonly services: number },
): { readonly update: true | string; readonly delete: true | string } => {
  const idle = member === true && state !== 'ACTIVE' && state !== 'DELETED' ? 'WorkflowExecutionAlreadyStarted' : member;
  return { update: idle, delete: idle === true ? registryDeleteRule({ usedBy: services }) : idle };
};

/** Makes the project public or private as the wanted policy says, and then stores that policy as the current one. */
const applyStep = ({ db, registry }: RegistryDeps): Step => ({
  code: 'ApplyRegistryPolicy',
  run: async ({ row, log }) => {
    const { app_id: app, wanted: policy } = row;
    const applied = { message: { code: 'RegistryPolicyApplied', context: { project: app } } };
    // A repetition after a crash: the policy is already applied.
    if (!policy) return applied;
    await registry.projectPublish?.(app, policy.isPublic);
    log(policy.isPublic ? 'Everybody may pull' : 'Members and robot accounts may pull');
    await db
      .updateTable('container_registry')
      .set({ policy: JSON.stringify(policy), wanted: null })
      .where('app_id', '=', app)
      .execute();
    return applied;
  },
  undo: async ({ row: { app_id: app, wanted, policy } }) => {
    if (wanted && (await registry.projectExists(app))) await registry.projectPublish?.(app, policy.isPublic);
  },
});

const deleteStep = ({ db, registry }: RegistryDeps): Step => ({
  code: 'DeleteRegistryProject',
  isPointOfNoReturn: true,
  run: async ({ input: { app = '' }, log }) => {
    // A service may have been created since.
    if ((await servicesOf(db, app)).length > 0) throw new StepFailure('HarborProjectInUse');
    await registry.projectDelete(app);
    log(`Project ${registry.host}/${app} deleted`);
  },
});

/** Creates the project if it is missing. Omits the original step's undo, which would delete the project with its existing content. */
const ensureStep = ({ registry }: RegistryDeps): Step => {
  const { code, run } = registryProjectStep<EntityInput>({ registry }, ({ app }) => app);
  return { code, run };
};

export const registryEntity = (deps: RegistryDeps): Entity<View, Row, never, RegistryPolicyUpdate> => ({
  // The project is created and deleted with its app, so it needs no list or create route.
  resource: { ...containerRegistryResource, list: containerRegistryResource.view, create: containerRegistryResource.view },
  table: 'container_registry',
  key: { app: 'app_id' },
  columns: sql`container_registry.*, app.team_id, (select count(*)::integer from service
    where service.app_id = app.id and split_part(service.spec ->> 'containerImageName', '/', 2) = app.id) as services`,
  from: sql`container_registry join app on app.id = container_registry.app_id`,
  sort: { project: 'app_id' },
  search: ['app_id'],
  toView: (row, caller) => ({
    project: row.app_id,
    state: row.state,
    policy: row.policy,
    can: registryCan(memberRule(caller, row.team_id), row),
  }),
  title: ({ project }) => project,
  create: { name: () => '', field: '', insert: async () => undefined },
  update: async ({ trx, caller, names: { app = '' }, before, wanted }) => {
    const now = new Date();
    requireSound(wanted, before.policy, now);
    const policy = JSON.stringify(policyOf(wanted, before.policy, caller, now));
    await trx.updateTable('container_registry').set({ wanted: policy, state: 'UPDATING' }).where('app_id', '=', app).execute();
  },
  before: ({ policy }) => policy,
  whyKept: async (db, { app = '' }) => registryDeleteReason((await servicesOf(db, app)).length),
  steps: { update: [ensureStep(deps), applyStep(deps)], remove: [deleteStep(deps)] },
});

const registryDeleteReason = (usedBy: number): 'HarborProjectInUse' | undefined => {
  const verdict = registryDeleteRule({ usedBy });
  return verdict === true ? undefined : verdict;
};
