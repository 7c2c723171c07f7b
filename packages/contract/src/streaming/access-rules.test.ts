import { expect, test } from 'vitest';

import { isAllowedOnAny, judgeAccess, type AccessOperation, type AccessRule } from './access-rules.ts';

const rule = (given: Partial<AccessRule>): AccessRule => ({
  resource: 'topic',
  pattern: 'literal',
  name: 'berth.orders',
  user: 'berth.reader',
  host: '*',
  operation: 'read',
  permission: 'allow',
  ...given,
});
const may = (rules: readonly AccessRule[], operation: AccessOperation = 'read', name = 'berth.orders', user = 'berth.reader'): boolean =>
  judgeAccess(rules, { user, host: '10.0.0.1', resource: 'topic', name, operation }).isAllowed;

test('what no rule names is refused', () => {
  expect(judgeAccess([], { user: 'berth.reader', resource: 'topic', name: 'berth.orders', operation: 'read' })).toEqual({
    isAllowed: false,
    rule: undefined,
  });
  expect(may([rule({ user: 'berth.other' })])).toBe(false);
  expect(may([rule({ resource: 'group' })])).toBe(false);
  expect(may([rule({ name: 'berth.order' })])).toBe(false);
  expect(may([rule({ pattern: 'match' })])).toBe(false);
});

test.each<[string, Partial<AccessRule>, boolean]>([
  ['a literal name', {}, true],
  ['the literal name *', { name: '*' }, true],
  ['a beginning', { pattern: 'prefixed', name: 'berth.' }, true],
  ['the whole name as a beginning', { pattern: 'prefixed' }, true],
  ['a longer beginning', { pattern: 'prefixed', name: 'berth.orders.' }, false],
  ['a beginning that is called *', { pattern: 'prefixed', name: '*' }, false],
  ['everybody', { user: '*' }, true],
  ['this address', { host: '10.0.0.1' }, true],
  ['another address', { host: '10.0.0.2' }, false],
  ['every operation', { operation: 'all' }, true],
  ['another operation', { operation: 'write' }, false],
])('a rule for %s', (_, given, isAllowed) => {
  expect(may([rule(given)])).toBe(isAllowed);
});

test('a refusal wins over whatever allows, wherever it stands', () => {
  const deny = rule({ pattern: 'prefixed', name: 'berth.', user: '*', permission: 'deny' });
  const verdict = judgeAccess([rule({}), deny], { user: 'berth.reader', resource: 'topic', name: 'berth.orders', operation: 'read' });
  expect(verdict).toEqual({ isAllowed: false, rule: deny });
  expect(may([deny, rule({ name: '*', operation: 'all' })])).toBe(false);
  expect(may([deny, rule({ operation: 'write' })], 'write')).toBe(true);
});

test.each(['read', 'write', 'delete', 'alter', 'describe', 'all'])('whoever may %s may describe', (operation) => {
  expect(may([rule({ operation })], 'describe')).toBe(true);
});
test.each(['create', 'describeConfigs', 'alterConfigs', 'clusterAction', 'idempotentWrite'])(
  'whoever may %s may not describe',
  (operation) => {
    expect(may([rule({ operation })], 'describe')).toBe(false);
  },
);
test('whoever may change settings may see them, and no other right shows them', () => {
  expect(may([rule({ operation: 'alterConfigs' })], 'describeConfigs')).toBe(true);
  expect(may([rule({ operation: 'read' })], 'describeConfigs')).toBe(false);
});
test('a refusal to read does not hide', () => {
  expect(may([rule({ permission: 'deny' }), rule({ operation: 'write' })], 'describe')).toBe(true);
  expect(may([rule({ permission: 'deny', operation: 'describe' }), rule({})], 'describe')).toBe(false);
});

test.each<[string, Partial<AccessRule>[], boolean]>([
  ['nothing', [], false],
  ['one topic', [{}], true],
  ['one topic that is refused by its name', [{}, { permission: 'deny' }], false],
  ['one topic that is refused by its beginning', [{}, { permission: 'deny', pattern: 'prefixed', name: 'ber' }], false],
  ['one topic, where everything is refused', [{}, { permission: 'deny', name: '*' }], false],
  ['a beginning of which one topic is refused', [{ pattern: 'prefixed', name: 'berth.' }, { permission: 'deny' }], true],
  [
    'a beginning that is refused',
    [
      { pattern: 'prefixed', name: 'berth.' },
      { permission: 'deny', pattern: 'prefixed', name: 'ber' },
    ],
    false,
  ],
  [
    'a beginning, where everything is refused',
    [
      { pattern: 'prefixed', name: 'berth.' },
      { permission: 'deny', name: '*' },
    ],
    false,
  ],
  ['everything but one topic', [{ name: '*' }, { permission: 'deny' }], true],
  ['everything, refused at another address', [{ name: '*' }, { permission: 'deny', name: '*', host: '10.0.0.2' }], true],
  ['two topics of which one is refused', [{}, { permission: 'deny' }, { name: 'berth.events' }], true],
  ['what implies it elsewhere', [{ operation: 'alter' }], false],
])('on any topic at all: %s', (_, given, isAllowed) => {
  const asked = { user: 'berth.reader', host: '10.0.0.1', resource: 'topic', operation: 'read' } as const;
  expect(isAllowedOnAny(given.map(rule), asked)).toBe(isAllowed);
});
