/** Entries over HTTP: onboarding, fields that apply at once and fields that are decided, rights, versions and headers. */
import { describe, expect, test } from 'vitest';
import {
  catalogApplicationCreate,
  catalogApplicationDecommission,
  catalogApplicationHistory,
  catalogApplicationList,
  catalogApplicationPatch,
  catalogApplicationUpdate,
  catalogApplicationView,
  catalogAppUnlink,
  catalogAttestationSet,
  catalogBulkChange,
  catalogIssueCreate,
  type CatalogApplication,
} from '@slipway/contract/catalog/application.ts';
import {
  catalogLabelCreate,
  catalogLabelList,
  catalogLabelUpdate,
  catalogOptionsSet,
  catalogOptionsView,
} from '@slipway/contract/catalog/directory.ts';
import {
  catalogPlatformCreate,
  catalogPlatformDecommission,
  catalogPlatformList,
  catalogPlatformPatch,
  catalogPlatformProducts,
} from '@slipway/contract/catalog/platform.ts';
import {
  catalogPortfolioCreate,
  catalogPortfolioDecommission,
  catalogPortfolioPlatforms,
  type CatalogPortfolio,
} from '@slipway/contract/catalog/portfolio.ts';
import {
  catalogProductApplications,
  catalogProductApplicationsSet,
  catalogProductCreate,
  catalogProductDecommission,
  catalogProductUpdate,
  type CatalogProduct,
} from '@slipway/contract/catalog/product.ts';
import { applicationMacIdSet } from '@slipway/contract/application.ts';
import { catalogRequestView } from '@slipway/contract/catalog/request.ts';
import { requestList, requestView } from '@slipway/contract/request/request.ts';
import { errorsOf } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { because, catalogWorld, description, otherPlatform, platform, raisedBy } from './catalog.fixture.ts';

const world = catalogWorld();
const { good, errors, onboard, view, update, decide } = world;
const wanted = (name: string, more: object = {}) => ({
  owners: ['olga'],
  applicationName: name,
  description,
  platformId: platform,
  ...more,
});
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

describe('onboarding', () => {
  test('raises a request, and approval makes the entry active', async () => {
    const made = await good<CatalogApplication>('member', catalogApplicationCreate, {
      body: wanted('Berth Planner', { owners: ['OLGA@example.test'] }),
    });
    expect(made).toMatchObject({
      status: 'PENDING',
      canEdit: true,
      owners: [{ id: 'olga', active: true }],
      platform: { platformId: platform, portfolio: { portfolioId: 'PFO-901' } },
      requests: [{ reqType: 'ONBOARD' }],
      version: 1,
    });
    expect(made.applicationId).toMatch(/^MAC-1\d{4}$/);
    const early = { params: { appId: made.applicationId }, headers: { 'Mac-App-Id': made.applicationId } };
    const back = { ...early, body: { status: 'ACTIVE', reason: because } };
    expect(await errors('administrator', catalogApplicationPatch, back)).toEqual([409, 'undefined: EntryNotDecommissioned']);
    expect((await decide('administrator', raisedBy({ body: made } as never), 'APPROVED')).status).toBe(200);
    expect(await view(made.applicationId.toLowerCase())).toMatchObject({ status: 'ACTIVE', validApp: false });
    const history = await good<{ content: { type: string }[] }>('stranger', catalogApplicationHistory, {
      params: { appId: made.applicationId },
    });
    expect(history.content.map(({ type }) => type)).toContain('catalogApplicationCreate');
  });

  test.each([
    [
      'a name that another has, with other case and accents',
      { applicationName: 'SEEDÉD' },
      [409, 'applicationName: ApplicationAlreadyExists', 'applicationName: APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS'],
    ],
    ['a platform that is not there', { platformId: 'PLT-9' }, [400, 'platformId: PlatformNotActive']],
    ['an owner who is not there', { owners: ['nobody'] }, [400, 'owners: OwnerNotInDirectory']],
    [
      'a date of today',
      { targetDecommissioningDate: new Date().toISOString().slice(0, 10) },
      [400, 'targetDecommissioningDate: DateInPast'],
    ],
    ['text as a date', { targetDecommissioningDate: 'soon' }, [400, 'targetDecommissioningDate: DateInvalid']],
    ['an unknown option', { criticalityId: 'huge' }, [400, 'criticalityId: OptionDoesNotExist']],
    ['an unknown label', { labels: ['LBL-9'] }, [404, 'labels: LabelDoesNotExist']],
    ['a short name', { applicationName: 'ab' }, [400, 'applicationName: MinimumLength']],
    ['no owners', { owners: [] }, [400, 'owners: Required']],
  ])('rejects %s', async (_name, change, expected) => {
    expect(await errors('member', catalogApplicationCreate, { body: { ...wanted('Another'), ...change } })).toEqual(expected);
  });
  test('version 2 of the call wants productionDeployed, and others do not exist', async () => {
    const body = wanted('Versioned');
    expect(await errors('member', catalogApplicationCreate, { body, headers: { 'X-API-Version': '2' } })).toEqual([
      400,
      'productionDeployed: Required',
    ]);
    expect(await errors('member', catalogApplicationCreate, { body, headers: { 'X-API-Version': '3' } })).toEqual([
      400,
      'X-API-Version: UnsupportedVersion',
    ]);
  });

  test('a rejected entry is seen by its requester, owners and approvers alone, who may send it again', async () => {
    const made = await good<CatalogApplication>('member', catalogApplicationCreate, { body: wanted('Rejected One') });
    const request = raisedBy({ body: made } as never);
    expect(errorsOf(await decide('administrator', request, 'REJECTED', 'no'))).toEqual([400, 'comment: MinimumLength']);
    expect((await decide('administrator', request, 'REJECTED', 'Use the existing planner')).status).toBe(200);
    const params = { appId: made.applicationId };
    expect(await errors('stranger', catalogApplicationView, { params })).toEqual([404, 'undefined: EntryDoesNotExist']);
    // Its requests show no more than the entry.
    const hidden = [404, 'undefined: RequestDoesNotExist'];
    expect(await errors('stranger', requestView, { params: { request } })).toEqual(hidden);
    expect(await errors('stranger', catalogRequestView, { params: { requestId: request } })).toEqual(hidden);
    const listedFor = async (actor: 'stranger' | 'owner' | 'administrator') =>
      (await good<{ content: { id: string }[] }>(actor, requestList, { query: { view: 'all' } })).content.some(({ id }) => id === request);
    expect([await listedFor('stranger'), await listedFor('owner'), await listedFor('administrator')]).toEqual([false, true, true]);
    expect(await good('owner', catalogRequestView, { params: { requestId: request } })).toMatchObject({ status: 'REJECTED' });
    const rejected = await view(made.applicationId, 'member');
    expect(rejected).toMatchObject({ status: 'REJECTED', rejectedComments: 'Use the existing planner' });
    const again = await update('member', rejected, { status: 'PENDING', description: `${description} Again.` });
    expect(again.body).toMatchObject({ applicationId: made.applicationId, status: 'PENDING', requests: [{ reqType: 'ONBOARD' }] });
    // Waiting entries are edited directly, and the request moves to its next revision.
    const edited = await update('owner', await view(made.applicationId), { applicationName: 'Accepted One' });
    expect(edited.body).toMatchObject({ status: 'PENDING', applicationName: 'Accepted One', requests: [{ requestId: raisedBy(again) }] });
    const old = { 'If-Match': `"${raisedBy(again)}.1"` };
    const decideRoute = (await import('@slipway/contract/catalog/request.ts')).catalogRequestDecide;
    const stale = { params: { requestId: raisedBy(again) }, headers: old, body: { status: 'APPROVED' } };
    expect(await errors('administrator', decideRoute, stale)).toEqual([409, 'undefined: RequestChanged']);
    expect((await decide('member', raisedBy(again), 'WITHDRAWN')).status).toBe(200);
    expect(await errors('member', catalogApplicationView, { params })).toEqual([404, 'undefined: EntryDoesNotExist']);
  });
});

describe('a waiting entry', () => {
  test('is edited by an owner who was added meanwhile, in the name of its requester', async () => {
    const made = await good<CatalogApplication>('member', catalogApplicationCreate, { body: wanted('Shared Wait') });
    const requestId = raisedBy({ body: made } as never);
    await update('member', made, { owners: ['olga', 'stig'] });
    const seen = await view(made.applicationId, 'stranger');
    expect(seen.can['update']).toBe(true);
    const edited = await update('stranger', seen, { owners: ['stig'], applicationName: 'Shared Anew' });
    expect([edited.status, edited.body]).toMatchObject([200, { applicationName: 'Shared Anew', requests: [{ requestId }] }]);
    expect(await good('stranger', catalogRequestView, { params: { requestId } })).toMatchObject({
      requestedBy: { id: 'mats' },
      can: { withdraw: true },
    });
    // Who is no longer an owner has no say in the request.
    expect(errorsOf(await decide('owner', requestId, 'WITHDRAWN'))).toEqual([403, 'undefined: NotTheRequester']);
    expect((await decide('administrator', requestId, 'APPROVED')).status).toBe(200);
  });

  test('is sent again to an active platform alone, and never stays without a request', async () => {
    const made = await good<CatalogApplication>('member', catalogApplicationCreate, { body: wanted('Stranded') });
    const { applicationId: id } = made;
    await decide('administrator', raisedBy({ body: made } as never), 'REJECTED', 'Not on this platform');
    await world.sql(`update catalog_entry set platform_id = $2 where id = $1`, [id, otherPlatform]);
    await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where id = $1`, [otherPlatform]);
    const rejected = await view(id, 'member');
    const gone = [400, 'platformId: PlatformNotActive'];
    expect(errorsOf(await update('member', rejected, { status: 'PENDING' }))).toEqual(gone);
    expect(await view(id, 'member')).toMatchObject({ status: 'REJECTED', version: rejected.version });
    // An earlier version let it through: its request became void.
    await world.sql(`update catalog_entry set status = 'PENDING' where id = $1`, [id]);
    expect(errorsOf(await update('member', rejected, { applicationName: 'Stranded Anew' }))).toEqual(gone);
    const again = await update('member', rejected, { platformId: platform });
    expect(again.body).toMatchObject({ status: 'PENDING', requests: [{ reqType: 'ONBOARD' }] });
    await world.sql(`update catalog_entry set status = 'ACTIVE' where id = $1`, [otherPlatform]);
    expect((await decide('administrator', raisedBy(again), 'APPROVED')).status).toBe(200);
  });
});

describe('changes', () => {
  test('apply at once, or wait for approval, in one PUT', async () => {
    const entry = await onboard('Crane Telemetry');
    const both = await update('owner', entry, {
      description: `${description} More.`,
      applicationName: 'Crane Figures',
      criticalityId: 'important',
    });
    expect(both.status).toBe(200);
    expect(both.body).toMatchObject({
      description: `${description} More.`,
      applicationName: 'Crane Telemetry',
      version: entry.version + 1,
      attestedBy: { id: 'olga' },
      requests: [{ reqType: 'UPDATE' }],
    });
    // The owner amends the waiting request by naming it.
    const amended = await update(
      'owner',
      await view(entry.applicationId),
      { applicationName: 'Crane Numbers' },
      { 'Mac-Request-Id': raisedBy(both) },
    );
    expect(amended.status).toBe(202);
    expect(raisedBy(amended)).toBe(raisedBy(both));
    const pending = await update('owner', await view(entry.applicationId), { classificationId: 'INTERNAL' });
    expect(errorsOf(pending)).toEqual([409, 'undefined: RequestAlreadyPending']);
    expect((await decide('administrator', raisedBy(both), 'APPROVED')).body).toMatchObject({ status: 'APPROVED', revision: 2 });
    expect(await view(entry.applicationId)).toMatchObject({ applicationName: 'Crane Numbers', criticalityCategory: null });
  });

  test('are the owners’ alone, except claims', async () => {
    const entry = await onboard('Claimed');
    expect(errorsOf(await update('stranger', entry, { description: `${description} Mine.` }))).toEqual([
      403,
      'undefined: NotCatalogueOwner',
    ]);
    const claim = await update('stranger', entry, { owners: [...entry.owners, { email: 'stig@example.test' }] });
    expect([claim.status, claim.body]).toMatchObject([202, { requests: [{ reqType: 'OWNER_CHANGE' }] }]);
    const added = await update('owner', entry, { owners: ['olga', 'mats'] });
    expect([added.status, added.body]).toMatchObject([200, { owners: [{ id: 'olga' }, { id: 'mats' }], requests: [] }]);
    // The owners are no longer those that the claim was raised for.
    const claimed = await good<object>('stranger', (await import('@slipway/contract/catalog/request.ts')).catalogRequestView, {
      params: { requestId: raisedBy(claim) },
    });
    expect(claimed).toMatchObject({
      status: 'WITHDRAWN',
      void: true,
      voidReason: 'Owners has changed since the request was raised',
      actionedBy: { id: 'system' },
    });
  });

  test('need the version, the header and a status that the caller saw', async () => {
    const entry = await onboard('Versions');
    const more = { description: `${description} More.` };
    expect(errorsOf(await update('owner', entry, more, { 'If-Match': '"99"' }))).toEqual([409, 'undefined: EntryChanged']);
    expect(errorsOf(await update('owner', entry, more, { 'Mac-App-Id': 'MAC-9' }))).toEqual([409, 'Mac-App-Id: HeaderMismatch']);
    expect(errorsOf(await update('owner', entry, { ...more, status: 'DECOMMISSIONED' }))).toEqual([400, 'status: StatusNotSettable']);
    const { applicationId: appId } = entry;
    expect(await errors('owner', catalogApplicationUpdate, { params: { appId }, body: wanted('Versions') })).toEqual([
      400,
      'Mac-App-Id: Required',
    ]);
    expect((await update('owner', entry, more, { 'If-Match': `"${entry.version}"` })).status).toBe(200);
  });

  test('with a key are done once', async () => {
    const entry = await onboard('Keyed');
    const headers = { 'Mac-Request-Id': 'key-of-mine-1' };
    const [first, again] = [
      await update('owner', entry, { explorationApp: true }, headers),
      await update('owner', entry, { explorationApp: true }, headers),
    ];
    expect(again.body).toEqual(first.body);
    expect((await view(entry.applicationId)).version).toBe(entry.version + 1);
    expect(errorsOf(await update('owner', entry, { explorationApp: false }, headers))).toEqual([409, 'undefined: IdempotencyKeyReused']);
  });

  test('PATCH sets labels, and asks for a criticality with a reason', async () => {
    const entry = await onboard('Patched');
    const label = await good<{ id: string }>('administrator', catalogLabelCreate, { body: { name: 'core-system' } });
    const request = (body: object) => ({ params: { appId: entry.applicationId }, headers: { 'Mac-App-Id': entry.applicationId }, body });
    const labelled = await good<CatalogApplication>('owner', catalogApplicationPatch, request({ labels: [label.id] }));
    expect(labelled.labels).toMatchObject([{ name: 'core-system' }]);
    expect(await errors('owner', catalogApplicationPatch, request({ criticalityId: 'important' }))).toEqual([
      400,
      'reason: ReasonRequired',
    ]);
    expect(await errors('owner', catalogApplicationPatch, request({ status: 'REJECTED' }))).toEqual([400, 'status: StatusNotSettable']);
    const asked = await world.call('owner', catalogApplicationPatch, request({ criticalityId: 'important', reason: because }));
    expect([asked.status, asked.body]).toMatchObject([202, { requests: [{ reqType: 'UPDATE' }] }]);
  });

  test('move an application by request of its owner or of the target’s owner', async () => {
    const entry = await onboard('Moved');
    expect(errorsOf(await update('member', entry, { platformId: otherPlatform }))).toEqual([403, 'undefined: NotCatalogueOwner']);
    const move = await update('stranger', entry, { platformId: otherPlatform });
    expect([move.status, move.body]).toMatchObject([202, { requests: [{ reqType: 'PLATFORM_CHANGE' }] }]);
    expect((await decide('administrator', raisedBy(move), 'APPROVED')).status).toBe(200);
    expect(await view(entry.applicationId)).toMatchObject({ platform: { platformId: otherPlatform }, product: null });
  });

  test('keep one active owner', async () => {
    const entry = await onboard('Owned');
    await world.sql(`insert into identity (id, display_name, left_at) values ('left', 'Left Person', now()) on conflict do nothing`);
    expect(errorsOf(await update('owner', entry, { owners: ['left'] }))).toEqual([400, 'owners: OwnerNotInDirectory']);
    await world.sql(`update catalog_entry set owners = '{olga,left}' where id = $1`, [entry.applicationId]);
    expect(errorsOf(await update('owner', entry, { owners: ['left'] }))).toEqual([409, 'owners: LastActiveOwner']);
    // A person who left the company can be removed without a request.
    expect((await update('owner', entry, { owners: ['olga'] })).status).toBe(200);
  });
});

describe('decommissioning', () => {
  const remove = (id: string, body: object) => ({ params: { appId: id }, headers: { 'Mac-App-Id': id }, body });
  test('is asked for with proof of the newest state, and put back by approvers', async () => {
    const entry = await onboard('Retired');
    const id = entry.applicationId;
    expect(await errors('owner', catalogApplicationDecommission, remove(id, {}))).toEqual([400, 'reason: ReasonRequired']);
    expect(await errors('stranger', catalogApplicationDecommission, remove(id, { reason: because }))).toEqual([
      403,
      'undefined: NotCatalogueOwner',
    ]);
    const stale = remove(id, { reason: because, criticalityId: 'important' });
    expect(await errors('owner', catalogApplicationDecommission, stale)).toEqual([409, 'undefined: EntryChanged']);
    expect(await errors('owner', catalogApplicationDecommission, remove(id, { reason: because, targetDate: '2020-01-01' }))).toEqual([
      400,
      'targetDate: DateInPast',
    ]);
    const asked = await world.call('owner', catalogApplicationDecommission, remove(id, { reason: because, status: 'ACTIVE', labels: [] }));
    expect([asked.status, asked.body]).toMatchObject([202, { reqType: 'DECOMMISSION', applicationMetaResponse: { applicationId: id } }]);
    const change = await update('owner', entry, { applicationName: 'Still There' });
    await decide('administrator', raisedBy(asked), 'APPROVED');
    expect(await view(id)).toMatchObject({ status: 'DECOMMISSIONED', decommissionedDate: new Date().toISOString().slice(0, 10) });
    // Everything else that waited for the entry is void.
    expect(errorsOf(await decide('administrator', raisedBy(change), 'APPROVED'))).toEqual([409, 'undefined: RequestDecided']);
    expect(errorsOf(await update('owner', entry, { explorationApp: true }))).toEqual([409, 'undefined: EntryNotActive']);
    const back = { params: { appId: id }, headers: { 'Mac-App-Id': id }, body: { status: 'ACTIVE', reason: because } };
    expect(await errors('owner', catalogApplicationPatch, back)).toEqual([403, 'undefined: NotCatalogueApprover']);
    expect(await good('administrator', catalogApplicationPatch, back)).toMatchObject({ status: 'ACTIVE', decommissionedDate: null });
  });

  test('closes its data issues, which count no longer', async () => {
    const { applicationId: id } = await onboard('Reported');
    await good('member', catalogIssueCreate, { params: { appId: id }, body: { comments: 'The owner is wrong' } });
    const removal = await world.call('owner', catalogApplicationDecommission, remove(id, { reason: because }));
    expect((await decide('administrator', raisedBy(removal), 'APPROVED')).status).toBe(200);
    await good('administrator', catalogApplicationPatch, remove(id, { status: 'ACTIVE', reason: because }));
    expect((await view(id)).scorecard).toContainEqual({ check: 'issues', holds: true });
  });

  test('waits for its day', async () => {
    const entry = await onboard('Later');
    const asked = await world.call(
      'owner',
      catalogApplicationDecommission,
      remove(entry.applicationId, { reason: because, targetDate: tomorrow }),
    );
    await decide('administrator', raisedBy(asked), 'APPROVED');
    expect(await view(entry.applicationId)).toMatchObject({ status: 'ACTIVE', targetDecommissioningDate: tomorrow, overdue: false });
  });

  test('of what has children is refused', async () => {
    const request = { params: { platformId: platform, portfolioId: 'PFO-901' }, body: { reason: because } };
    expect(await errors('owner', catalogPlatformDecommission, request)).toEqual([409, 'undefined: PlatformHasApplications']);
    expect(await errors('owner', catalogPortfolioDecommission, request)).toEqual([409, 'undefined: PortfolioHasPlatforms']);
    const patch = { ...request, body: { status: 'ACTIVE', reason: because } };
    expect(await good('owner', catalogPlatformPatch, patch)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('platforms, portfolios and products', () => {
  test('a platform waits in its portfolio, and is in lists once it is active', async () => {
    const body = { owners: ['mats'], platformName: 'Customs', description, portfolioId: 'PFO-901', platformType: 'DATA' };
    const made = await world.call('member', catalogPlatformCreate, { body });
    expect([made.status, made.body]).toMatchObject([201, { status: 'PENDING', platformType: 'DATA' }]);
    expect(await errors('member', catalogPlatformCreate, { body })).toEqual([409, 'platformName: EntryAlreadyExists']);
    const application = wanted('Too Early', { platformId: (made.body as { platformId: string }).platformId });
    expect(await errors('member', catalogApplicationCreate, { body: application })).toEqual([400, 'platformId: PlatformNotActive']);
    await decide('administrator', raisedBy(made), 'APPROVED');
    const names = async (query: object) =>
      (await good<{ content: { platformName: string }[] }>('stranger', catalogPlatformList, { query: { ...query } })).content.map(
        ({ platformName }) => platformName,
      );
    expect(await names({ active: true, name: 'CÚSTOM' })).toEqual(['Customs']);
    expect(await names({ active: false })).toEqual([]);
    expect(await names({ oid: 'mats' })).toEqual(['Customs']);
    expect(await names({ sort: '-name', size: 1 })).toEqual(['Voyage Planning']);
    expect(await errors('stranger', catalogPlatformList, { query: { sort: 'color' } })).toEqual([400, 'sort: InvalidValue']);
    const missing = { body: { ...body, platformName: 'Elsewhere', portfolioId: 'PFO-9' } };
    expect(await errors('member', catalogPlatformCreate, missing)).toEqual([400, 'portfolioId: PortfolioNotActive']);
  });

  test('a portfolio gets its short name from its initials, and lists its platforms as CSV', async () => {
    const body = { owners: ['mats'], portfolioName: 'Land Side Transport', description, portfolioType: 'BUSINESS' };
    expect(await good<CatalogPortfolio>('member', catalogPortfolioCreate, { body })).toMatchObject({ shortName: 'LST', status: 'PENDING' });
    const csv = await world.call('stranger', catalogPortfolioPlatforms, {
      params: { portfolioId: 'PFO-901' },
      headers: { 'X-Content-Type': 'text/csv' },
    });
    expect(csv.body).toContain('PLT-0901,Terminal Operations,OPERATIONS,ACTIVE');
  });

  test('a product of an owner of its platform is active at once, and holds applications of the platform', async () => {
    const body = { owners: ['olga'], productName: 'Berthing', productCode: 'BERTH-1', description, platformId: platform };
    const made = await good<CatalogProduct>('owner', catalogProductCreate, { body, headers: { source: 'CONSOLE' } });
    expect(made).toMatchObject({ status: 'ACTIVE', productType: 'INTERNAL', source: 'CONSOLE' });
    expect(await errors('owner', catalogProductCreate, { body })).toEqual([409, 'productCode: EntryAlreadyExists']);
    expect(await errors('stranger', catalogProductCreate, { body: { ...body, productCode: 'X-2', status: 'ACTIVE' } })).toEqual([
      400,
      'status: StatusNotSettable',
    ]);
    const { productId } = made;
    const set = (applicationIds: string[]) => ({
      params: { productId },
      headers: { 'Mac-Product-Id': productId },
      body: { applicationIds },
    });
    const [one, foreign] = [await onboard('Of Product'), await onboard('Of Other', { platformId: otherPlatform })];
    expect(await good('owner', catalogProductApplicationsSet, set([one.applicationId]))).toMatchObject({
      applications: [{ applicationId: one.applicationId }],
    });
    expect(await errors('owner', catalogProductApplicationsSet, set([foreign.applicationId]))).toEqual([
      400,
      'applicationIds: ApplicationOfOtherPlatform',
    ]);
    expect(await errors('stranger', catalogProductApplicationsSet, set([]))).toEqual([403, 'undefined: NotCatalogueOwner']);
    const second = await good<CatalogProduct>('owner', catalogProductCreate, { body: { ...body, productCode: 'BERTH-2' } });
    const taken = {
      params: { productId: second.productId },
      headers: { 'Mac-Product-Id': second.productId },
      body: { applicationIds: [one.applicationId] },
    };
    expect(await errors('owner', catalogProductApplicationsSet, taken)).toEqual([409, 'applicationIds: ApplicationInOtherProduct']);
    expect(await errors('owner', catalogProductDecommission, { params: { productId }, body: { reason: because } })).toEqual([
      409,
      'undefined: ProductHasApplications',
    ]);
    expect(await good('stranger', catalogProductApplications, { params: { productId } })).toMatchObject({ totalRecords: 1 });
    expect(await good('stranger', catalogPlatformProducts, { params: { platformId: platform } })).toMatchObject({ totalRecords: 2 });
    const move = (change: object) => ({ params: { productId }, headers: { 'Mac-Product-Id': productId }, body: { ...body, ...change } });
    expect(await errors('owner', catalogProductUpdate, move({ platformId: otherPlatform, platformChanged: false }))).toEqual([
      409,
      'platformChanged: PlatformChangedMismatch',
    ]);
    expect(await errors('owner', catalogProductUpdate, move({ platformId: otherPlatform, platformChanged: true }))).toEqual([
      403,
      'platformId: NotCatalogueOwner',
    ]);
    await world.sql(`update catalog_entry set owners = '{stig,olga}' where id = $1`, [otherPlatform]);
    // A former application goes with the product, but summaries count active ones alone.
    const former = await onboard('Formerly Of Product');
    await world.sql(`update catalog_entry set status = 'DECOMMISSIONED', product_id = $2 where id = $1`, [former.applicationId, productId]);
    expect(await good('owner', catalogProductUpdate, move({ platformId: otherPlatform, platformChanged: true }))).toMatchObject({
      platform: { platformId: otherPlatform },
    });
    expect(await view(one.applicationId)).toMatchObject({ platform: { platformId: otherPlatform }, product: { productId } });
    expect(await view(former.applicationId)).toMatchObject({ platform: { platformId: otherPlatform }, status: 'DECOMMISSIONED' });
    const ids = [one.applicationId, former.applicationId];
    const moved = await world.sql(`select entry_id as id from catalog_event where type = 'MOVED' and entry_id = any($1)`, [ids]);
    expect(moved).toEqual([{ id: one.applicationId }]);
  });
});

describe('labels and options', () => {
  test('labels are the approvers’, by a unique name, and archived instead of deleted', async () => {
    const body = { name: 'tier-one', description: 'Pays the bills', properties: { colour: 'red' } };
    expect(await errors('owner', catalogLabelCreate, { body })).toEqual([403, 'undefined: NotCatalogueApprover']);
    const label = await good<{ id: string }>('administrator', catalogLabelCreate, { body });
    expect(await errors('administrator', catalogLabelCreate, { body: { name: 'Tier-One' } })).toEqual([409, 'name: LabelAlreadyExists']);
    expect(await errors('administrator', catalogLabelCreate, { body: { name: 'no spaces' } })).toEqual([400, 'name: KebabCase']);
    await good('administrator', catalogLabelUpdate, { params: { labelId: label.id }, body: { archived: true } });
    expect(await good('stranger', catalogLabelList)).toContainEqual({ ...label, archived: true });
    expect(await errors('member', catalogApplicationCreate, { body: wanted('Labelled', { labels: [label.id] }) })).toEqual([
      404,
      'labels: LabelDoesNotExist',
    ]);
  });

  test('options are tagged, and stay while entries use them', async () => {
    const read = await world.call('stranger', catalogOptionsView);
    expect(read.body).toMatchObject({ criticalityCategories: [{ id: 'mission-critical', name: 'Mission critical' }, {}, {}, {}] });
    const same = await world.call('stranger', catalogOptionsView, { headers: { 'if-none-match': read.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
    await onboard('Layered', { mipLayerId: 'data' });
    const set = (options: object[]) => ({ params: { list: 'mipLayers' }, body: { options } });
    expect(await errors('administrator', catalogOptionsSet, set([{ id: 'system', name: 'System' }]))).toEqual([
      409,
      'options: OptionInUse',
    ]);
    const both = [
      { id: 'data', name: 'Data' },
      { id: 'edge', name: 'Edge' },
    ];
    expect(await good('administrator', catalogOptionsSet, set(both))).toMatchObject({ mipLayers: both });
  });
});

test('the list of applications counts, pages by cursor, and finds by part of the name', async () => {
  const list = (query: object) =>
    good<{ content: CatalogApplication[]; next: string | null; totalRecords: number; applicationInfo: object }>(
      'stranger',
      catalogApplicationList,
      { query: { ...query } },
    );
  const all = await list({ size: 100 });
  expect(all.totalRecords).toBe(all.content.length);
  expect(all).toMatchObject({ days: 30, platformInfo: { active: 3, inactive: 0, total: 3 }, appOnboardedCount: expect.any(Number) });
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await list({ size: 3, sort: '-modifiedDate', ...(after === undefined ? {} : { after }) });
    ids.push(...page.content.map(({ applicationId }) => applicationId));
    after = page.next;
  }
  expect(ids.toSorted()).toEqual(all.content.map(({ applicationId }) => applicationId).toSorted());
  expect((await list({ name: 'lémetry' })).content).toEqual([]);
  expect((await list({ name: 'rane Num' })).content).toMatchObject([{ applicationName: 'Crane Numbers' }]);
  expect(await errors('stranger', catalogApplicationList, { query: { after: 'nonsense' } })).toEqual([400, 'after: InvalidValue']);
});

test('links: active entries only, one app each, unlinked by approvers', async () => {
  const entry = await onboard('Linked');
  const pending = await good<CatalogApplication>('member', catalogApplicationCreate, { body: wanted('Not Linked') });
  await seedApp(world.app().database.db, { id: 'berth' });
  const link = (macId: string) => ({ params: { app: 'berth' }, body: { macId } });
  expect(await errors('owner', applicationMacIdSet, link(pending.applicationId))).toEqual([400, 'macId: MacIdNotActive']);
  await good('owner', applicationMacIdSet, link(entry.applicationId));
  expect(await view(entry.applicationId)).toMatchObject({ app: { id: 'berth' }, can: { unlink: 'NotCatalogueApprover' } });
  const unlink = { params: { appId: entry.applicationId }, body: { reason: because } };
  expect(await errors('owner', catalogAppUnlink, unlink)).toEqual([403, 'undefined: NotCatalogueApprover']);
  expect(await good('administrator', catalogAppUnlink, unlink)).toMatchObject({ app: null });
  expect(await errors('administrator', catalogAppUnlink, unlink)).toEqual([409, 'undefined: MacIdNotLinked']);
});

test('an orphan is in the hands of its platform’s owners', async () => {
  const entry = await onboard('Orphan', { owners: ['mats'], platformId: platform });
  const attest = { params: { appId: entry.applicationId } };
  expect(await errors('owner', catalogAttestationSet, attest)).toEqual([403, 'undefined: NotCatalogueOwner']);
  await world.sql(`update identity set left_at = now() where id = 'mats'`);
  expect(await good('owner', catalogAttestationSet, attest)).toMatchObject({
    attestedBy: { id: 'olga' },
    owners: [{ id: 'mats', active: false }],
  });
  await world.sql(`update identity set left_at = null where id = 'mats'`);
});

test('a bulk change answers for each entry, and its preview changes nothing', async () => {
  const [mine, foreign] = [await onboard('Bulk Mine'), await onboard('Bulk Foreign', { owners: ['stig'] })];
  const label = await good<{ id: string }>('administrator', catalogLabelCreate, { body: { name: 'bulk' } });
  const entries = [mine.applicationId, foreign.applicationId, 'MAC-0'].map((id) => ({ kind: 'application', id }));
  const request = (body: object, dryRun = false) => ({ query: { dryRun }, body: { entries, ...body } });
  const outcomes = async (body: object, dryRun?: boolean) =>
    (await good<{ outcome: string; code: string | null }[]>('owner', catalogBulkChange, request(body, dryRun))).map(
      ({ outcome, code }) => code ?? outcome,
    );
  const expected = ['DONE', 'NotCatalogueOwner', 'EntryDoesNotExist'];
  expect(await outcomes({ addLabels: [label.id] }, true)).toEqual(expected);
  expect((await view(mine.applicationId)).labels).toEqual([]);
  expect(await outcomes({ addLabels: [label.id] })).toEqual(expected);
  expect((await view(mine.applicationId)).labels).toMatchObject([{ name: 'bulk' }]);
  expect(await outcomes({ addOwners: ['olga'], requestComment: because })).toEqual(['DONE', 'REQUESTED', 'EntryDoesNotExist']);
});
