// @long (shared process): tries a fault at every step of a pipeline
/** Injects faults into every step of the account pipelines, on a real broker. After an undo neither rule nor user is left. */
import { Requests } from '#modules/requests/index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { afterAll, expect } from 'vitest';
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { createLog } from '#kernel/log.ts';
import type { PipelineDefinition, PipelineEngine } from '#modules/pipelines/index.ts';
import { resourceModule, startOn, type Names } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { caller, createdBy } from '#testing/faults/fault-caller.ts';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import { seedApp } from '#testing/fixtures.ts';
import { freePort } from '#testing/free-port.ts';
import { makeStreaming } from '../../../choose-adapters.ts';
import { applyRules } from './access-rules.ts';
import { accountEntity } from './account-entity.ts';
import { accountPipelines, type RotationInput, type RulesInput } from './account-pipelines.ts';
import { accountRow, type AccountDeps, type AccountRow } from './account-rows.ts';
import { seedTopic } from './accounts.fixture.ts';
import { handOver, makeUser } from './passwords.ts';
import { createPasswordSeals } from './password-seals.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-account-faults-'));
const log = createLog('silent');
/** One broker for all suites of this file. Account names are never reused. */
const ports = { development: await freePort(), production: await freePort() };
const { streaming } = makeStreaming(
  { streaming: { kind: 'embedded', host: '127.0.0.1', advertisedHost: '127.0.0.1', ports }, dataDir },
  { passwordKey: async () => Buffer.from('the broker of the faults'), floorBytes: 0, log },
);
afterAll(async () => {
  await streaming.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const owner = { teamId: 'cranes', teamName: 'Team cranes' };
const environment = 'development';

/** `word` names the suite's own app, so that suites don't see each other's accounts. */
const open = async (database: TestDatabase, word: string) => {
  const place = { app: word, env: environment } as const;
  const namesFor = (name: string) => ({
    ...place,
    account: name.replaceAll(/[^a-z]/g, (sign) => String.fromCharCode(97 + (sign.charCodeAt(0) % 26))),
  });
  const { db, pool } = database;
  await seedPeople(db);
  await seedApp(db, { id: word, createdAt: new Date(Date.now() - 60_000) });
  for (const topic of ['orders', 'moves']) await seedTopic(db, streaming, { app: word, name: topic });
  const keys = new FileKeys(join(dataDir, 'keys'));
  const deps: AccountDeps = {
    db,
    streaming,
    secrets: { db, vault: createVault(pool, keys) },
    seals: createPasswordSeals(pool, keys),
    requests: new Requests(),
    signInMs: 2000,
    registryUrl: () => 'http://faults/schema-registry/development',
  };
  const entity = accountEntity(deps);
  const row = (name: string): Promise<AccountRow | undefined> => accountRow(db, namesFor(name));
  const groupName = (name: string) => `${namesFor(name).account}-kafka`;
  const lists = (produce: string[], consume: string[]) => ({
    produceTopics: produce.map((resourceId) => ({ resourceId, resourceType: 'TOPIC' as const })),
    consumeTopics: consume.map((resourceId) => ({ resourceId, resourceType: 'TOPIC' as const })),
  });
  const insert = async (trx: Transaction<DB>, names: Names, hasGroup: boolean) => {
    const name = names['account'] ?? '';
    const group = hasGroup ? { secretGroup: `${name}-kafka` } : {};
    await entity.create.insert({ trx, caller, names, owner, wanted: { name, description: '', ...lists(['orders'], ['moves']), ...group } });
  };
  /** Creates an account in the state that a completed pipeline leaves. */
  const made = async (name: string, hasGroup = false): Promise<AccountRow> => {
    const names = namesFor(name);
    await transaction(db, (trx) => insert(trx, names, hasGroup));
    await db.updateTable('account').set({ state: 'ACTIVE' }).where('name', '=', names.account).execute();
    await applyRules(deps, (await row(name))!);
    await makeUser(deps, (await row(name))!, { by: 'before', overlapHours: 0, createdBy });
    await handOver(deps, (await row(name))!, 'before', createdBy);
    return (await row(name))!;
  };
  const start = async <I extends object>(
    trx: Transaction<DB>,
    engine: PipelineEngine,
    definition: PipelineDefinition<I, object>,
    names: Names,
    input: I,
  ) => {
    const subject = subjectOf(accountKind, { ...place, ...names, account: names['account'] ?? '' }, { team: 'cranes' });
    return { pipelineId: await startOn(engine, trx, entity, { names, definition, input, subject, createdBy, trigger: 'person' }) };
  };
  const user = (name: string) => `${word}.${namesFor(name).account}`;
  /** Reads from the broker whether each user exists and what it may do. */
  const onCluster = async (name: string) => {
    const known = await streaming.listUsers(environment, user(name));
    const of = async (one: string) => ({
      isThere: known.includes(one),
      rules: (await streaming.listRules(environment, { user: one })).map((rule) => `${rule.operation} ${rule.name}`).toSorted(),
    });
    return { first: await of(user(name)), second: await of(`${user(name)}~2`) };
  };
  const rules = (name: string) => [`read ${user(name)}.`, `read ${word}.moves`, `write ${word}.orders`].toSorted();
  const group = (name: string) => db.selectFrom('secret_group').selectAll().where('name', '=', groupName(name)).executeTakeFirst();
  const own = resourceModule({ db, engine: undefined as never }, entity).deps.pipelines;
  const pipelines = accountPipelines(deps, entity);
  return { namesFor, db, deps, entity, row, insert, made, start, group, onCluster, rules, own, pipelines, lists, user, word };
};
type World<I extends object> = FaultWorld<I, object>;
type Created = Names & { readonly stateBefore: string };
const nothing = { isThere: false, rules: [] };

faultSuite('a new account', {
  steps: ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword', 'CreateAccount'],
  async world(database) {
    const { namesFor, row, insert, start, group, onCluster, rules, own } = await open(database, 'making');
    return {
      definition: own.create!,
      start: async (trx, engine, faulty, name) => {
        await insert(trx, namesFor(name), true);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'NOT_CREATED' });
      },
      async assertCleanSlate(name) {
        expect(await onCluster(name)).toEqual({ first: nothing, second: nothing });
        expect(await group(name)).toBeUndefined();
        expect(await row(name)).toMatchObject({
          state: 'NOT_CREATED',
          turn: null,
          password_hash: null,
          waiting_sealed: null,
          secret_version: null,
        });
      },
      async assertDone(name) {
        expect(await onCluster(name)).toEqual({ first: { isThere: true, rules: rules(name) }, second: nothing });
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', turn: 1, secret_version: 1, waiting_sealed: null });
        expect(await group(name)).toMatchObject({ kind: 'PLATFORM', last_version: 1 });
      },
    } satisfies World<Created>;
  },
});

faultSuite('a change of an account', {
  steps: ['ApplyAccessRules', 'UpdateAccount'],
  async world(database) {
    const { namesFor, db, row, made, start, onCluster, rules, own, entity, lists, user, word } = await open(database, 'changing');
    const listed = async (name: string) =>
      (
        await db
          .selectFrom('topic_grant')
          .select(['operation', 'state'])
          .where('account_id', '=', (await row(name))!.id)
          .where('is_listed', '=', true)
          .execute()
      )
        .map(({ operation, state }) => `${operation} ${state}`)
        .toSorted();
    return {
      definition: own.update!,
      start: async (trx, engine, faulty, name) => {
        await made(name);
        const before = { can: {} } as never;
        const changed = await entity.update({
          trx,
          caller,
          names: namesFor(name),
          owner,
          before,
          wanted: { description: 'New', ...lists(['orders', 'moves'], []) },
        });
        await trx
          .updateTable('account')
          .set({ change: JSON.stringify(changed?.change) })
          .where('name', '=', namesFor(name).account)
          .execute();
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'ACTIVE' });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', description: '' });
        expect(await listed(name)).toEqual(['READ APPROVED', 'WRITE APPROVED']);
        expect((await onCluster(name)).first.rules).toEqual(rules(name));
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ state: 'ACTIVE', description: 'New' });
        expect(await listed(name)).toEqual(['WRITE APPROVED', 'WRITE APPROVED']);
        expect((await onCluster(name)).first.rules).toEqual([`write ${word}.moves`, `write ${word}.orders`]);
        expect(user(name)).toContain(word);
      },
    } satisfies World<Created>;
  },
});

faultSuite<RotationInput, object>('a new password with overlap', {
  steps: ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword'],
  async world(database) {
    const { namesFor, row, made, start, group, onCluster, rules, pipelines } = await open(database, 'turning');
    return {
      definition: pipelines.rotation,
      start: async (trx, engine, faulty, name) => {
        await made(name, true);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), overlapHours: 1 });
      },
      async assertCleanSlate(name) {
        expect(await onCluster(name)).toEqual({ first: { isThere: true, rules: rules(name) }, second: nothing });
        expect(await row(name)).toMatchObject({ turn: 1, former_ends_at: null, waiting_sealed: null, secret_version: 1 });
        const versions = await group(name);
        expect(versions).toBeDefined();
      },
      async assertDone(name) {
        const live = { isThere: true, rules: rules(name) };
        expect(await onCluster(name)).toEqual({ first: live, second: live });
        const after = await row(name);
        expect(after).toMatchObject({ turn: 2, waiting_sealed: null, former_ends_at: expect.any(Date) as Date });
        expect((await group(name))?.last_version).toBe(after?.secret_version);
      },
    };
  },
});

faultSuite<RotationInput, object>('a new password at once', {
  steps: ['CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword'],
  faultsAt: ['CreateClusterUser'],
  async world(database) {
    const { namesFor, row, made, start, onCluster, rules, pipelines } = await open(database, 'replacing');
    return {
      definition: pipelines.replacement,
      start: async (trx, engine, faulty, name) => {
        await made(name);
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), overlapHours: 0 });
      },
      // The old password is gone. A user with rules remains, and a rerun hands over its new password.
      async assertCleanSlate(name) {
        expect(await onCluster(name)).toEqual({ first: { isThere: true, rules: rules(name) }, second: nothing });
      },
      async assertDone(name) {
        expect(await row(name)).toMatchObject({ turn: 1, former_ends_at: null, waiting_for: expect.any(String) as string });
        expect(await onCluster(name)).toEqual({ first: { isThere: true, rules: rules(name) }, second: nothing });
      },
    };
  },
});

faultSuite<RulesInput, object>('a decision', {
  steps: ['ApplyAccessRules'],
  async world(database) {
    const { namesFor, db, row, made, start, onCluster, rules, pipelines, word } = await open(database, 'deciding');
    const side = { isListed: true, basis: 'DECISION', decidedAt: null, decidedBy: null, decidedByName: null, decision: null } as const;
    const grantOf = async (name: string) =>
      db
        .selectFrom('topic_grant')
        .selectAll()
        .where('account_id', '=', (await row(name))!.id)
        .where('operation', '=', 'READ')
        .executeTakeFirstOrThrow();
    return {
      definition: pipelines.rules,
      start: async (trx, engine, faulty, name) => {
        await made(name);
        const { id } = await grantOf(name);
        const decision = { id, before: { ...side, state: 'APPROVED' }, after: { ...side, state: 'REVOKED' } } as const;
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), decision });
      },
      async assertCleanSlate(name) {
        expect(await grantOf(name)).toMatchObject({ state: 'APPROVED', is_listed: true });
        expect((await onCluster(name)).first.rules).toEqual(rules(name));
      },
      async assertDone(name) {
        expect(await grantOf(name)).toMatchObject({ state: 'REVOKED', is_listed: true });
        expect((await onCluster(name)).first.rules).toEqual([`write ${word}.orders`]);
      },
    };
  },
});

faultSuite('a deletion of an account', {
  steps: ['RemoveAccessRules', 'DeleteSecretGroup', 'RemoveClusterUsers', 'DeleteAccount'],
  async world(database) {
    const { namesFor, db, row, made, start, group, onCluster, rules, own } = await open(database, 'deleting');
    return {
      definition: own.remove!,
      start: async (trx, engine, faulty, name) => {
        const { id } = await made(name, true);
        await db.updateTable('account').set({ state: 'DELETING' }).where('id', '=', id).execute();
        return start(trx, engine, faulty, namesFor(name), { ...namesFor(name), stateBefore: 'ACTIVE' });
      },
      async assertCleanSlate(name) {
        expect(await row(name)).toMatchObject({ turn: 1 });
        expect(await onCluster(name)).toEqual({ first: { isThere: true, rules: rules(name) }, second: nothing });
      },
      async assertDone(name) {
        expect([await row(name), await group(name)]).toEqual([undefined, undefined]);
        expect(await onCluster(name)).toEqual({ first: nothing, second: nothing });
      },
    } satisfies World<Created>;
  },
});
