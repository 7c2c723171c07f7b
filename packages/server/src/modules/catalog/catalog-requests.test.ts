/** The catalog's requests: the inbox, who decides, deciding once, causes of void requests, issues, and monthly summaries. */
import { describe, expect, test, vi } from 'vitest';
import {
  catalogApplicationApprovalDecide,
  catalogApplicationDecommission,
  catalogApplicationHistory,
  catalogApplicationOwnersDecide,
  catalogApplicationRequests,
  catalogApplicationView,
  catalogIssueCreate,
} from '@slipway/contract/catalog/application.ts';
import { catalogApproversSet, catalogApproverList, catalogAuthorityView, catalogUserSearch } from '@slipway/contract/catalog/directory.ts';
import { catalogPlatformDecommission } from '@slipway/contract/catalog/platform.ts';
import {
  catalogRequestAssign,
  catalogRequestComment,
  catalogRequestCount,
  catalogRequestDecide,
  catalogRequestList,
  catalogRequestsDecide,
  catalogRequestView,
  type CatalogRequest,
} from '@slipway/contract/catalog/request.ts';
import { catalogMonthlySummary, catalogRiskView, catalogSummaryPlatforms, type MonthlySummary } from '@slipway/contract/catalog/summary.ts';
import { requestRaiseAgain } from '@slipway/contract/request/request.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import { createToken } from '#kernel/auth/api-token.ts';
import { errorsOf } from '#testing/app.ts';
import { seedApp, seedCatalogApplication, seedRevision, seedService } from '#testing/fixtures.ts';
import { because, catalogWorld, otherPlatform, platform, raisedBy } from './catalog.fixture.ts';
import { monthName } from './facts/monthly-summary.ts';
import { noteRunning, runNight } from './facts/nightly.ts';
import { decommissionDue } from './entries/decommission.ts';

const world = catalogWorld();
const { good, errors, onboard, view, update, decide, deps } = world;
const request = (id: string) => good<CatalogRequest>('owner', catalogRequestView, { params: { requestId: id } });
const renamed = async (name: string, wanted: string) => {
  const entry = await onboard(name);
  return { entry, requestId: raisedBy(await update('owner', entry, { applicationName: wanted })) };
};

describe('deciding', () => {
  test('is the approvers’, never the requester’s own', async () => {
    const { entry, requestId } = await renamed('Decided', 'Decided Anew');
    expect(errorsOf(await decide('member', requestId, 'APPROVED'))).toEqual([403, 'undefined: NotCatalogueApprover']);
    expect(errorsOf(await decide('owner', requestId, 'APPROVED'))).toEqual([403, 'undefined: OwnRequest']);
    expect(errorsOf(await decide('stranger', requestId, 'WITHDRAWN'))).toEqual([403, 'undefined: NotTheRequester']);
    expect(errorsOf(await decide('administrator', 'REQ-999999', 'APPROVED'))).toEqual([404, 'undefined: RequestDoesNotExist']);
    const path = { params: { appId: entry.applicationId, requestId }, headers: { 'Mac-App-Id': entry.applicationId } };
    const ofOther = {
      ...path,
      params: { ...path.params, appId: 'MAC-1' },
      headers: { 'Mac-App-Id': 'MAC-1' },
      body: { status: 'APPROVED' },
    };
    expect(await errors('administrator', catalogApplicationApprovalDecide, ofOther)).toEqual([404, 'undefined: RequestDoesNotExist']);
    const approved = await good('administrator', catalogApplicationApprovalDecide, {
      ...path,
      body: { status: 'APPROVED', comment: 'Fine' },
    });
    expect(approved).toMatchObject({ status: 'APPROVED', actionComment: 'Fine', actionedBy: { id: 'ada' } });
    expect(await view(entry.applicationId)).toMatchObject({ applicationName: 'Decided Anew' });
  });

  test('is not for who replaced the content', async () => {
    const { entry, requestId } = await renamed('Amended', 'Amended Anew');
    await world.sql(`update catalog_entry set owners = '{olga,ada}' where id = $1`, [entry.applicationId]);
    const owners = ['olga', 'ada'];
    const change = { owners, applicationName: 'Amended by Another' };
    const amended = await update('administrator', await view(entry.applicationId), change, { 'Mac-Request-Id': requestId });
    expect([amended.status, raisedBy(amended)]).toEqual([202, requestId]);
    expect(errorsOf(await decide('administrator', requestId, 'APPROVED'))).toEqual([403, 'undefined: OwnRequest']);
    const waiting = await good<{ content: CatalogRequest[] }>('administrator', catalogRequestList, {
      query: { view: 'decide', size: 100 },
    });
    expect(waiting.content.map((one) => one.requestId)).not.toContain(requestId);
  });

  test('by ten approvers at once happens once', async () => {
    const { pool } = world.app().database;
    const approvers = Array.from({ length: 10 }, (_, at) => `approver-${at}`);
    for (const id of approvers) await world.sql('insert into identity (id, display_name) values ($1, $1)', [id]);
    await good('administrator', catalogApproversSet, { body: { approvers } });
    const { entry, requestId } = await renamed('Contested', 'Contested Anew');
    const tokens = [];
    for (const identityId of approvers)
      tokens.push(
        (
          await createToken(pool, {
            identityId,
            name: 'test',
            scopes: ['write'],
            expiresAt: new Date(Date.now() + 60_000),
            parentId: undefined,
          })
        ).token,
      );
    const answers = await Promise.all(
      tokens.map((token, at) => {
        const body = { status: at % 2 === 0 ? 'APPROVED' : 'REJECTED', comment: 'Decided by this one' };
        return world.call('owner', catalogRequestDecide, { params: { requestId }, body, token });
      }),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer !== won[0]) expect(errorsOf(answer)).toEqual([409, 'undefined: RequestDecided']);
    const status = (won[0]?.body as CatalogRequest | undefined)?.status;
    const { applicationName, version } = await view(entry.applicationId);
    expect([applicationName, version]).toEqual(
      status === 'APPROVED' ? ['Contested Anew', entry.version + 1] : ['Contested', entry.version],
    );
    expect(await good('stranger', catalogApproverList)).toHaveLength(10);
    await good('administrator', catalogApproversSet, { body: { approvers: ['stig'] } });
  });

  test('many at once answers for each', async () => {
    const [one, two] = [await renamed('Bulk One', 'Bulk First'), await renamed('Bulk Two', 'Bulk Second')];
    const body = { requestIds: [one.requestId, two.requestId, 'REQ-999999'], status: 'APPROVED' };
    const answers = await good<{ code: string | null }[]>('stranger', catalogRequestsDecide, { body });
    expect(answers.map(({ code }) => code)).toEqual([null, null, 'RequestDoesNotExist']);
  });

  test('owners decide data issues, and changes of owners have a call of their own', async () => {
    const entry = await onboard('With Issue');
    const appId = entry.applicationId;
    const issue = await good<CatalogRequest>('member', catalogIssueCreate, {
      params: { appId },
      body: { comments: 'The owner is wrong', field: 'owners' },
    });
    expect(issue).toMatchObject({ reqType: 'DATA_ISSUE', payload: { issue: { field: 'owners' } } });
    expect((await view(appId)).scorecard).toContainEqual({ check: 'issues', holds: false });
    expect((await decide('owner', issue.requestId, 'APPROVED')).status).toBe(200);
    expect((await view(appId)).scorecard).toContainEqual({ check: 'issues', holds: true });
    const claim = await update('member', entry, { owners: ['olga', 'mats'] });
    const call = { params: { appId }, headers: { 'Mac-App-Id': appId }, body: { status: 'APPROVED', comments: 'Welcome' } };
    expect(await errors('administrator', catalogApplicationOwnersDecide, call)).toEqual([400, 'requestId: Required']);
    expect(await good('administrator', catalogApplicationOwnersDecide, { ...call, query: { requestId: raisedBy(claim) } })).toMatchObject({
      status: 'APPROVED',
    });
    expect((await view(appId)).owners.map(({ id }) => id)).toEqual(['olga', 'mats']);
    const other = raisedBy(await update('owner', await view(appId), { applicationName: 'Without Issue' }));
    expect(await errors('administrator', catalogApplicationOwnersDecide, { ...call, query: { requestId: other } })).toEqual([
      404,
      'undefined: RequestDoesNotExist',
    ]);
  });
});

test.each([{}, { view: 'decide' }, { status: 'PENDING' }])(
  'pages of %j continue after a cursor, and show each request once',
  async (view) => {
    for (const name of ['One', 'Two', 'Three'])
      await renamed(`Paged ${name} ${Object.values(view).join()}`, `Paged ${name} Anew ${Object.values(view).join()}`);
    type Listed = { content: CatalogRequest[]; next: string | null; totalRecords: number };
    const list = (query: object) => good<Listed>('administrator', catalogRequestList, { query: { ...view, ...query } });
    const { content, totalRecords } = await list({ size: 100 });
    const paged: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page: Listed = await list({ size: 2, ...(after === undefined ? {} : { after }) });
      expect(page.totalRecords).toBe(totalRecords);
      paged.push(...page.content.map(({ requestId }) => requestId));
      after = page.next;
    }
    expect(paged.length).toBeGreaterThan(2);
    expect(paged).toEqual(content.map(({ requestId }) => requestId));
    for (const after of ['broken', Buffer.from('["a","b","c"]').toString('base64url'), Buffer.from('["a"]').toString('base64url')])
      expect(await errors('administrator', catalogRequestList, { query: { ...view, after } })).toEqual([400, 'after: InvalidValue']);
  },
);

describe('a request', () => {
  test('is in the inboxes of those it concerns', async () => {
    const { entry, requestId } = await renamed('Inbox', 'Inbox Anew');
    const ids = async (actor: 'owner' | 'stranger' | 'member', query: object) =>
      (await good<{ content: CatalogRequest[] }>(actor, catalogRequestList, { query: { size: 100, ...query } })).content.map(
        (one) => one.requestId,
      );
    expect(await ids('owner', { view: 'mine', status: 'PENDING' })).toContain(requestId);
    expect(await ids('stranger', { view: 'decide' })).toContain(requestId);
    expect(await ids('member', { view: 'decide' })).not.toContain(requestId);
    const count = async () => (await good<{ count: number }>('stranger', catalogRequestCount, { params: { status: 'PENDING' } })).count;
    const text = await world.call('stranger', catalogRequestCount, { params: { status: 'PENDING' }, headers: { accept: 'text/plain' } });
    expect(text.body).toBe(String(await count()));
    expect(await errors('stranger', catalogRequestCount, { params: { status: 'LOST' } })).toEqual([400, 'status: InvalidValue']);
    const appId = entry.applicationId;
    expect(await good('member', catalogApplicationRequests, { params: { appId } })).toMatchObject({ totalRecords: 2 });
    const included = { params: { appId }, query: { includeRequest: true, requestType: 'UPDATE' } };
    expect(await good('member', catalogApplicationView, included)).toMatchObject({
      request: { requestId, applicationMetaResponse: { applicationName: 'Inbox Anew' } },
    });
    expect(await errors('member', catalogApplicationView, { params: { appId }, query: { requestId: 'REQ-1' } })).toEqual([
      404,
      'undefined: RequestDoesNotExist',
    ]);
    await good('stranger', catalogRequestComment, { params: { requestId }, body: { text: 'Why?' } });
    const assign = { params: { requestId }, body: { assignedTo: ['ada'], comment: 'Ada knows this one' } };
    expect(await errors('member', catalogRequestAssign, assign)).toEqual([403, 'undefined: NotCatalogueApprover']);
    expect(await errors('stranger', catalogRequestAssign, { ...assign, body: { ...assign.body, assignedTo: ['mats'] } })).toEqual([
      400,
      'assignedTo: AssigneeMayNotDecide',
    ]);
    expect(await good('stranger', catalogRequestAssign, assign)).toMatchObject({
      assignedTo: [{ id: 'ada' }],
      comments: [{ text: 'Why?', by: { id: 'stig' } }, { text: 'Ada knows this one' }],
    });
  });

  test('is void when another change overtakes it, and can be raised again', async () => {
    const { entry, requestId } = await renamed('Overtaken', 'Overtaken Anew');
    await good('administrator', catalogApproversSet, { body: { approvers: ['stig', 'mats'] } });
    await world.sql(`update catalog_entry set owners = '{olga,mats}' where id = $1`, [entry.applicationId]);
    const other = raisedBy(await update('member', await view(entry.applicationId), { applicationName: 'Overtaken Otherwise' }));
    await decide('administrator', other, 'APPROVED');
    expect(await request(requestId)).toMatchObject({
      status: 'WITHDRAWN',
      void: true,
      voidReason: 'Application name has changed since the request was raised',
    });
    const again = await good<{ id: string }>('owner', requestRaiseAgain, { params: { request: requestId }, body: {} });
    expect(await request(again.id)).toMatchObject({ status: 'PENDING', base: { applicationName: 'Overtaken Otherwise' } });
    // A change of another field does not matter.
    await update('owner', await view(entry.applicationId), { description: 'Another description that is long enough.' });
    expect(await request(again.id)).toMatchObject({ status: 'PENDING' });
    // Two people ask for the same: the first approval makes the other true already.
    const same = raisedBy(await update('member', await view(entry.applicationId), { applicationName: 'Overtaken Anew' }));
    await decide('administrator', again.id, 'APPROVED');
    expect((await request(same)).void).toBe(true);
  });

  test('is void when its platform goes, a person leaves, or the app begins to serve', async () => {
    const { db } = world.app().database;
    await seedCatalogApplication(db, { id: 'MAC-20' });
    await world.sql(`insert into catalog_entry (id, kind, name, description, status, owners, type, portfolio_id, created_by, modified_by)
      values ('PLT-0903', 'platform', 'Short Lived', 'Here for a while only, in this test', 'ACTIVE', '{olga}', 'DATA', 'PFO-901', 'olga', 'olga')`);
    const entry = await onboard('Waits For Platform');
    const move = raisedBy(await update('owner', entry, { platformId: 'PLT-0903' }));
    const gone = await good<CatalogRequest>('owner', catalogPlatformDecommission, {
      params: { platformId: 'PLT-0903' },
      body: { reason: because },
    });
    await decide('administrator', gone.requestId, 'APPROVED');
    expect(await request(move)).toMatchObject({ void: true, voidReason: 'PLT-0903 is no longer active' });

    const claim = raisedBy(await update('stranger', entry, { owners: ['olga', 'stig'] }));
    const appId = entry.applicationId;
    await seedApp(db, { id: 'served', macId: appId });
    const remove = { params: { appId }, headers: { 'Mac-App-Id': appId }, body: { reason: because } };
    const removal = raisedBy(await world.call('owner', catalogApplicationDecommission, remove));
    const serviceId = await seedService(db, { app: 'served', serving: ['served-1'] });
    await seedRevision(db, { serviceId, service: 'served', number: 1 });
    await world.sql(
      `insert into instance (id, revision_id, state, since, node) select 'i-1', id, 'READY', now(), 'n' from revision where service_id = $1`,
      [serviceId],
    );
    expect(errorsOf(await decide('administrator', removal, 'APPROVED'))).toEqual([409, 'undefined: RequestVoid']);
    expect(await request(removal)).toMatchObject({
      void: true,
      voidReason: 'An instance has started to serve since the request was raised',
    });
    await world.sql(`update identity set left_at = now() where id = 'stig'`);
    expect(await runNight(deps(), new Date('2031-03-01T02:00:00Z'))).toBe(true);
    expect(await runNight(deps(), new Date('2031-03-01T03:00:00Z'))).toBe(false);
    expect(await request(claim)).toMatchObject({ void: true, voidReason: 'A person asked for is no longer in the directory' });
    await world.sql(`update identity set left_at = null where id = 'stig'`);

    // Seen running, the entry is verified. What still runs on its day stays active, and is overdue.
    await noteRunning(db);
    expect(await view(appId)).toMatchObject({ verified: true, seenRunningAt: expect.any(String) });
    const second = raisedBy(await world.call('owner', catalogApplicationDecommission, remove));
    await decide('administrator', second, 'APPROVED');
    expect(await view(appId)).toMatchObject({ status: 'ACTIVE', overdue: true });
    await world.sql(`update instance set state = 'STOPPED'`);
    const listener = await world.app().database.pool.connect();
    const hints: string[] = [];
    listener.on('notification', ({ payload = '' }) => hints.push(payload));
    await listener.query(`listen ${CHANGE_CHANNEL}`);
    expect(await decommissionDue(deps())).toBe(1);
    await vi.waitFor(() => expect(hints.some((hint) => hint.includes(appId))).toBe(true));
    listener.release(true);
    const history = await good<{ content: object[] }>('owner', catalogApplicationHistory, { params: { appId } });
    expect(history.content[0]).toMatchObject({ actor: { displayName: 'Slipway' }, after: { status: 'DECOMMISSIONED' } });
    expect(await view(appId)).toMatchObject({ status: 'DECOMMISSIONED', overdue: false });
  });
});

test('authorities, and the search for people', async () => {
  const of = async (actor: 'owner' | 'administrator' | 'stranger') =>
    (await good<{ authorities: string[] }>(actor, catalogAuthorityView)).authorities;
  expect(await of('owner')).toEqual(['CATALOGUE_USER']);
  expect(await of('stranger')).toEqual(['CATALOGUE_USER', 'CATALOGUE_APPROVER']);
  expect(await of('administrator')).toEqual(['CATALOGUE_USER', 'CATALOGUE_APPROVER', 'PLATFORM_ADMINISTRATOR']);
  await world.sql(`update identity set employee_id = '4711' where id = 'olga'`);
  const found = async (search: string) =>
    (await good<{ users: { id: string }[] }>('owner', catalogUserSearch, { query: { search } })).users.map(({ id }) => id);
  expect([await found('OLGA'), await found('4711'), await found('mats@example')]).toEqual([['olga'], ['olga'], ['mats']]);
  expect(await errors('owner', catalogUserSearch, { query: { search: 'ol' } })).toEqual([400, 'search: SearchTooShort']);
});

describe('the monthly summary', () => {
  const month = monthName(new Date());
  const summary = (platformId: string, summaryMonth = month) =>
    good<MonthlySummary>('stranger', catalogMonthlySummary, { query: { platformId, summaryMonth } });
  test('adds up, and follows moves', async () => {
    const entry = await onboard('Summed Up');
    const move = raisedBy(await update('owner', entry, { platformId: otherPlatform }));
    await decide('administrator', move, 'APPROVED');
    for (const id of [platform, otherPlatform]) {
      const { activeAtStart, onboarded, movedIn, putBack, deleted, movedOut, active, verified, unverified } = await summary(id);
      expect(activeAtStart + onboarded + movedIn + putBack - deleted - movedOut).toBe(active);
      expect(verified + unverified).toBe(active);
    }
    expect(await summary(otherPlatform)).toMatchObject({
      movedIn: 1,
      changeRequest: 1,
      frozen: false,
      platformChangeRequests: [{ requestId: move }],
    });
    expect((await summary(platform)).movedOut).toBe(1);
    expect(await errors('stranger', catalogMonthlySummary, { query: { platformId: platform, summaryMonth: '2999-01' } })).toEqual([
      400,
      'summaryMonth: SummaryInFuture',
    ]);
    expect(await errors('stranger', catalogMonthlySummary, { query: { platformId: platform, summaryMonth: '2026-13' } })).toEqual([
      400,
      'summaryMonth: InvalidValue',
    ]);
    expect(await good('owner', catalogSummaryPlatforms)).toContainEqual({
      platformId: platform,
      platformName: 'Terminal Operations',
      months: [month],
    });
  });

  test('is frozen after its month', async () => {
    await world.sql(`update catalog_entry set created_at = now() - interval '70 days' where kind = 'platform'`);
    const now = new Date();
    const past = monthName(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)));
    await runNight(deps());
    expect(await world.sql('select 1 from catalog_summary where month = $1', [past])).not.toEqual([]);
    expect(await summary(platform, past)).toMatchObject({ frozen: true, onboarded: 0 });
  });

  test('risks are counted by criticality', async () => {
    const { rows } = await good<{ rows: { total: number; counts: Record<string, number> }[] }>('stranger', catalogRiskView, {
      query: { platformId: platform },
    });
    expect(rows[0]?.counts).toMatchObject({ verified: 0, withoutOwner: 0, datePassed: 0, openIssue: 0 });
    expect(rows[0]?.total).toBe(rows[0]?.counts['unverified']);
    expect(await errors('stranger', catalogRiskView, {})).toEqual([400, 'platformId: InvalidValue']);
  });
});
