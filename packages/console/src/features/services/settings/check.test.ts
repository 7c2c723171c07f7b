import { describe, expect, test } from 'vitest';
import { checkSettings, withoutHidden } from './check.ts';
import { draftOf, envPath, mountsPath, withValue } from './draft.ts';
import { facts, settingsWith, variable } from './settings.fixture.ts';

const scaling = 'spec.template.replicaScaling';
const health = 'spec.template.healthCheck';
const traffic = 'spec.externalTraffic';
const messagesOf = (values: Record<string, unknown>): string[] =>
  checkSettings(draftOf(settingsWith(values)), facts).map(({ section, message }) => `${section}: ${message}`);

test('a new service has no errors', () => expect(messagesOf({})).toEqual([]));

test.each([
  ['an emptied number', { 'spec.resources.cpuMillicores': null }, ['resources: CPU is required']],
  ['a number too small', { 'spec.resources.cpuMillicores': 10 }, ['resources: Minimum CPU of 50 is required']],
  ['a number too large', { 'spec.resources.memoryMegabytes': 70_000 }, ['resources: Maximum Memory of 65536 is required']],
  ['a fraction', { [`${scaling}.count`]: 1.5 }, ['resources: Replicas must be an integer']],
  ['a path', { [`${health}.http.path`]: 'health' }, ['health: HTTP path is not a valid path']],
  [
    'somebody else’s image',
    { 'spec.containerImageName': 'docker.io/library/nginx' },
    ["general: Container image must contain full path to the company's container registry"],
  ],
  ['scaling down after nothing', { 'spec.scaleDownAfterDays': null }, []],
  [
    'more than the maximum',
    { [`${scaling}.scalingType`]: 'AUTO', [`${scaling}.count`]: 4, [`${scaling}.maxReplicas`]: 3 },
    ['resources: Replicas must be less than or equal to max replicas'],
  ],
  [
    'no maximum to compare with',
    { [`${scaling}.scalingType`]: 'AUTO', [`${scaling}.maxReplicas`]: null },
    ['resources: Max replicas is required'],
  ],
  [
    'names of variables',
    { [envPath]: [variable('1A', ''), variable('', 'x'), variable('B', ''), variable('B', '')] },
    [
      'environment: Invalid environment variable name',
      'environment: Name is required',
      'environment: The environment variable B is set more than once',
    ],
  ],
  [
    'a key that is not there',
    { [envPath]: [{ name: 'A', source: 'SECRET_KEY', secretGroup: 'orders', secretKey: 'gone' }] },
    ['environment: Environment variable refers to a secret key that is not referenced in stack'],
  ],
  [
    'a volume of nothing',
    { [mountsPath]: [{ mountPath: '', secretGroup: '', includeAllKeys: true, fileFormat: 'file', secretKey: null }] },
    ['volumes: Path is required', 'volumes: Secret group is required'],
  ],
  [
    'traffic without a port',
    { 'spec.exposedPort': null },
    ['network: Exposed port is required', 'network: External traffic cannot be on when internal traffic is off'],
  ],
  ['an API proxy without JWT', { [`${traffic}.type`]: 'API_PROXY' }, ['network: API proxy traffic supports only JWT authentication']],
  [
    'a pattern that is none',
    { 'spec.imageUpdatePolicy': { type: 'REGEX', regex: { pattern: '(' } } },
    ['rollout: Tag pattern is not a valid regular expression'],
  ],
  ['a command without words', { [`${health}.type`]: 'exec' }, ['health: Command is required']],
])('%s', (_, values, messages) => expect(messagesOf(values)).toEqual(messages));

describe('what is hidden', () => {
  test('stops nobody, and goes back to what it was where it cannot be sent', () => {
    const base = settingsWith();
    const edited = withValue(withValue(draftOf(base), `${health}.tcp.port`, null), `${scaling}.maxReplicas`, null);
    expect(checkSettings(edited, facts)).toEqual([]);
    expect(withoutHidden(edited, base)).toEqual(draftOf(base));
  });
  test('what is in view stays as it was typed', () => {
    const edited = withValue(draftOf(settingsWith({ [`${health}.type`]: 'tcp' })), `${health}.tcp.port`, null);
    expect(withoutHidden(edited, settingsWith())).toEqual(edited);
    expect(checkSettings(edited, facts)).toMatchObject([{ field: `${health}.tcp.port`, message: 'TCP port is required' }]);
  });
});
