import { beforeAll, afterAll, expect, test } from 'vitest';

import { CLUSTER, operations, resourceTypes, type Access } from '../parts.ts';
import type { Request } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { ADMIN, ask, callerNamed, openAccess, temporaryDirectory } from './access.fixture.ts';

type Creation = Request<'CreateAcls'>['creations'][number];
type Filter = Request<'DescribeAcls'>;

const literal = 3;
const prefixed = 4;
const any = 1;
const match = 2;
const deny = 2;
const allow = 3;
const admin = callerNamed(ADMIN.name, { version: 3 });
const reader = callerNamed('berth.reader', { version: 3 });

const creation = (given: Partial<Creation> = {}): Creation => ({
  resourceType: resourceTypes.topic,
  resourceName: 'berth.orders',
  resourcePatternType: literal,
  principal: 'User:berth.reader',
  host: '*',
  operation: operations.read,
  permissionType: allow,
  ...given,
});
const filter = (given: Partial<Filter> = {}): Filter => ({
  resourceTypeFilter: any,
  resourceNameFilter: null,
  patternTypeFilter: any,
  principalFilter: null,
  hostFilter: null,
  operation: any,
  permissionType: any,
  ...given,
});

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
let access: Access;
beforeAll(async () => {
  home = await temporaryDirectory();
  access = await openAccess(home.directory);
});
afterAll(async () => {
  await access.close();
  await home.remove();
});

const create = async (creations: Creation[], caller = admin) => (await ask(access.handlers, 'CreateAcls', { creations }, caller)).results;
const described = async (given: Partial<Filter> = {}): Promise<string[]> => {
  const { resources } = await ask(access.handlers, 'DescribeAcls', filter(given), admin);
  return resources.flatMap(({ resourceName, acls }) => acls.map(({ principal }) => `${resourceName} ${principal}`));
};
const remove = async (filters: Filter[], caller = admin) => (await ask(access.handlers, 'DeleteAcls', { filters }, caller)).filterResults;
const clean = () => remove([filter()]);

test('a rule works at once, after a restart, and until it is deleted', async () => {
  const may = (name = 'berth.orders') => access.authorizer.may(reader, operations.read, resourceTypes.topic, name);
  expect(may()).toBe(false);
  expect(await create([creation(), creation()])).toEqual(Array.from({ length: 2 }, () => ({ errorCode: errors.NONE, errorMessage: null })));
  expect(may()).toBe(true);
  expect(may('berth.other')).toBe(false);
  await access.close();
  access = await openAccess(home.directory);
  expect(may()).toBe(true);
  expect(await described()).toEqual(['berth.orders User:berth.reader']);
  const [result] = await remove([filter({ resourceNameFilter: 'berth.orders' })]);
  expect(result?.matchingAcls).toEqual([
    {
      errorCode: errors.NONE,
      errorMessage: null,
      resourceType: resourceTypes.topic,
      resourceName: 'berth.orders',
      patternType: literal,
      principal: 'User:berth.reader',
      host: '*',
      operation: operations.read,
      permissionType: allow,
    },
  ]);
  expect(may()).toBe(false);
});

test('the platform may do everything, whatever is refused to everybody', async () => {
  await create([creation({ resourceName: '*', principal: 'User:*', operation: operations.all, permissionType: deny })]);
  expect(access.authorizer.may(admin, operations.write, resourceTypes.topic, 'berth.orders')).toBe(true);
  expect(access.authorizer.mayOnAny(admin, operations.write, resourceTypes.topic)).toBe(true);
  await clean();
});

test('on any topic at all', async () => {
  expect(access.authorizer.mayOnAny(reader, operations.write, resourceTypes.topic)).toBe(false);
  await create([creation({ operation: operations.write })]);
  expect(access.authorizer.mayOnAny(reader, operations.write, resourceTypes.topic)).toBe(true);
  expect(access.authorizer.mayOnAny(reader, operations.write, resourceTypes.group)).toBe(false);
  await clean();
});

test.each<[string, Partial<Creation>]>([
  ['an unknown type', { resourceType: 0 }],
  ['any type', { resourceType: any }],
  ['an unknown pattern', { resourcePatternType: 0 }],
  ['a pattern for filters', { resourcePatternType: match }],
  ['any operation', { operation: any }],
  ['an unknown operation', { operation: 99 }],
  ['any permission', { permissionType: any }],
  ['no name', { resourceName: '' }],
  ['another cluster', { resourceType: resourceTypes.cluster, resourceName: 'other' }],
  ['no principal', { principal: 'User:' }],
  ['another type of principal', { principal: 'Group:berth' }],
  ['no host', { host: '' }],
])('no rule is made of %s, and the others are', async (_, given) => {
  const results = await create([creation(given), creation({ resourceType: resourceTypes.cluster, resourceName: CLUSTER })]);
  expect(results.map(({ errorCode }) => errorCode)).toEqual([errors.INVALID_REQUEST, errors.NONE]);
  expect(await described()).toEqual([`${CLUSTER} User:berth.reader`]);
  await clean();
});

test('filters mean what they mean in Kafka', async () => {
  await create([
    creation(),
    creation({ resourceName: 'berth.', resourcePatternType: prefixed, principal: 'User:a' }),
    creation({ resourceName: '*', principal: 'User:b', permissionType: deny }),
    creation({ resourceType: resourceTypes.group, principal: 'User:c', operation: operations.describe, host: '10.0.0.1' }),
  ]);
  const all = ['berth.orders User:berth.reader', 'berth. User:a', '* User:b', 'berth.orders User:c'];
  const [one, two, three, four] = all;
  expect(await described()).toEqual(all);
  expect(await described({ resourceTypeFilter: resourceTypes.topic })).toEqual([one, two, three]);
  expect(await described({ resourceNameFilter: 'berth.orders' })).toEqual([one, four]);
  expect(await described({ resourceNameFilter: 'berth.orders', patternTypeFilter: match })).toEqual(all);
  expect(await described({ resourceNameFilter: 'berth.x', patternTypeFilter: match })).toEqual([two, three]);
  expect(await described({ resourceNameFilter: '*', patternTypeFilter: literal })).toEqual([three]);
  expect(await described({ resourceNameFilter: 'berth.', patternTypeFilter: literal })).toEqual([]);
  expect(await described({ resourceNameFilter: 'berth.', patternTypeFilter: prefixed })).toEqual([two]);
  expect(await described({ patternTypeFilter: literal })).toEqual([one, three, four]);
  expect(await described({ principalFilter: 'User:a' })).toEqual([two]);
  expect(await described({ principalFilter: 'User:*' })).toEqual([]);
  expect(await described({ hostFilter: '10.0.0.1' })).toEqual([four]);
  expect(await described({ operation: operations.describe })).toEqual([four]);
  expect(await described({ permissionType: deny })).toEqual([three]);
  const results = await remove([
    filter({ principalFilter: 'User:a' }),
    filter({ operation: 99 }),
    filter({ resourceNameFilter: 'berth.' }),
  ]);
  expect(results.map(({ errorCode, matchingAcls }) => [errorCode, matchingAcls.length])).toEqual([
    [errors.NONE, 1],
    [errors.INVALID_REQUEST, 0],
    [errors.NONE, 1],
  ]);
  expect(await described()).toEqual([one, three, four]);
  await clean();
});

test('who may not see or change rules does not', async () => {
  await create([creation()]);
  const seen = await ask(access.handlers, 'DescribeAcls', filter(), reader);
  expect(seen).toMatchObject({ errorCode: errors.CLUSTER_AUTHORIZATION_FAILED, resources: [] });
  expect(await create([creation({ operation: operations.write })], reader)).toMatchObject([
    { errorCode: errors.CLUSTER_AUTHORIZATION_FAILED },
  ]);
  expect(await remove([filter()], reader)).toMatchObject([{ errorCode: errors.CLUSTER_AUTHORIZATION_FAILED, matchingAcls: [] }]);
  await create([creation({ resourceType: resourceTypes.cluster, resourceName: CLUSTER, operation: operations.alter })]);
  expect(await create([creation({ operation: operations.write })], reader)).toMatchObject([{ errorCode: errors.NONE }]);
  await clean();
});

test('changes at the same time are all there', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => create([creation({ resourceName: `berth.topic${index}` })])));
  expect(await described()).toHaveLength(50);
  await clean();
});
