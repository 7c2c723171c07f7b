/** Rules of service settings that involve several fields: where each reports an error, with which code, and where it reports none. */
import { describe, expect, test } from 'vitest';
import { messageOf } from '../kernel/errors.ts';
import { plainMountPath, serviceSettingsErrors, type SettingsFacts } from './service-rules.ts';
import type { ServiceSettings } from './service-settings.ts';
import { newServiceSpec, ServiceSpec, type SecretFileMount } from './service-spec.ts';

const facts: SettingsFacts = {
  imagePrefix: 'localhost:4000/berth/',
  secretGroups: new Map([['orders-db', ['PASSWORD', 'tls.pem']]]),
  appliedBasePath: null,
  hasVaultProxy: false,
  isNetworkIsolated: true,
  insideHosts: [],
};
const settingsOf = (change: (spec: ServiceSpec) => void): ServiceSettings => {
  const spec = newServiceSpec('localhost:4000/berth/berth');
  change(spec);
  return { githubRepositoryName: null, active: true, spec };
};
const found = (change: (spec: ServiceSpec) => void, more: Partial<SettingsFacts> = {}): string[] =>
  serviceSettingsErrors(settingsOf(change), { ...facts, ...more }).map(({ field, code }) => `${field?.replace('spec.', '')}: ${code}`);
const mount = (change: Partial<SecretFileMount> = {}): SecretFileMount => ({
  mountPath: '/etc/tls',
  secretGroup: 'orders-db',
  includeAllKeys: true,
  fileFormat: 'file',
  secretKey: null,
  ...change,
});

test('a new service breaks none', () => {
  expect(found(() => {})).toEqual([]);
});

describe('the image', () => {
  test.each(['localhost:4000/berth/berth', 'localhost:4000/berth/berth-api', 'localhost:4000/berth/a/b_c.d'])('%s is the app’s', (name) => {
    expect(found((spec) => (spec.containerImageName = name))).toEqual([]);
  });
  test.each([
    'berth',
    'localhost:4000/other/berth',
    'localhost:4000/berth/',
    'localhost:4000/berth/Berth',
    'localhost:4000/berth/berth:latest',
    'localhost:4000/berth/berth@sha256:0',
    'localhost:4000/berth/../other/x',
    'localhost:4000/berth/a//b',
  ])('%s is not', (name) => {
    expect(found((spec) => (spec.containerImageName = name))).toEqual(['containerImageName: NotARegistryPath']);
  });
});

describe('scaling', () => {
  const scale = (scaling: Partial<ServiceSpec['template']['replicaScaling']>) =>
    found((spec) => Object.assign(spec.template.replicaScaling, scaling));
  test('by itself starts with no more than the maximum, and has no minimum above it', () => {
    expect(scale({ scalingType: 'AUTO', count: 4, maxReplicas: 3 })).toEqual(['template.replicaScaling.count: ReplicasAboveMaximum']);
    expect(scale({ scalingType: 'AUTO', minReplicas: 4, maxReplicas: 3 })).toEqual([
      'template.replicaScaling.minReplicas: MinReplicasAboveMaximum',
    ]);
    expect(scale({ scalingType: 'AUTO', count: 3, minReplicas: 3, maxReplicas: 3 })).toEqual([]);
  });
  test('by hand has no bounds', () => {
    expect(scale({ scalingType: 'STATIC', count: 5, minReplicas: 4, maxReplicas: 3 })).toEqual([]);
  });
});

describe('variables', () => {
  const variables = (envVars: ServiceSpec['template']['envVars'], more: Partial<SettingsFacts> = {}) =>
    found((spec) => (spec.template.envVars = envVars), more);
  test('stand once', () => {
    const one = { name: 'A', source: 'STATIC', value: '1' } as const;
    expect(variables([one, { ...one, name: 'B' }, one])).toEqual(['template.envVars.2.name: DuplicateEnvVar']);
  });
  test('refer to keys that the service reads', () => {
    const secret = (secretGroup: string, secretKey: string) => ({ name: 'A', source: 'SECRET_KEY' as const, secretGroup, secretKey });
    expect(variables([secret('orders-db', 'PASSWORD')])).toEqual([]);
    expect(variables([secret('orders-db', 'NOTHING')])).toEqual(['template.envVars.0.secretKey: SecretKeyNotReferenced']);
    expect(variables([secret('other', 'PASSWORD')])).toEqual(['template.envVars.0.secretKey: SecretKeyNotReferenced']);
    expect(variables([secret('orders-db', '')])).toEqual(['template.envVars.0.secretKey: Required']);
    expect(variables([secret('other', 'PASSWORD')], { secretGroups: undefined })).toEqual([]);
  });
});

describe('volumes', () => {
  const volumes = (secretFileMounts: SecretFileMount[]) => found((spec) => (spec.template.secretFileMounts = secretFileMounts));
  test('have a path each', () => {
    expect(volumes([mount(), mount({ mountPath: '/etc/other' })])).toEqual([]);
    expect(volumes([mount(), mount()])).toEqual(['template.secretFileMounts.1.mountPath: SameMountPath']);
    expect(volumes([mount(), mount({ mountPath: '/etc//tls/' })])).toEqual(['template.secretFileMounts.1.mountPath: DuplicateVolumePaths']);
  });
  test('refer to groups and keys that the service reads', () => {
    expect(volumes([mount({ secretGroup: 'other' })])).toEqual(['template.secretFileMounts.0.secretGroup: SecretVolumeNotReferenced']);
    const one = mount({ includeAllKeys: false, secretKey: 'tls.pem' });
    expect(volumes([one])).toEqual([]);
    expect(volumes([{ ...one, secretKey: 'gone' }])).toEqual(['template.secretFileMounts.0.secretGroup: SecretVolumeNotReferenced']);
    expect(volumes([{ ...one, secretKey: null }])).toEqual(['template.secretFileMounts.0.secretKey: Required']);
  });
  test('are written in a format that is known, in either case', () => {
    expect(volumes([mount({ fileFormat: 'YAML' })])).toEqual([]);
    expect(volumes([mount({ fileFormat: 'toml' })])).toEqual(['template.secretFileMounts.0.fileFormat: SecretFileFormatUnknown']);
  });
});

test('paths are compared without what means nothing', () => {
  expect(['/', '/a/', '//a///b/', '/a'].map(plainMountPath)).toEqual(['/', '/a', '/a/b', '/a']);
});

describe('the network', () => {
  test('external traffic needs a port', () => {
    expect(found((spec) => (spec.exposedPort = null))).toEqual([
      'externalTraffic.type: ExternalTrafficNeedsInternal',
      'exposedPort: Required',
    ]);
    expect(
      found((spec) => {
        spec.exposedPort = null;
        spec.externalTraffic.type = 'NONE';
      }),
    ).toEqual([]);
  });
  const proxy = (spec: ServiceSpec) => {
    spec.externalTraffic.type = 'API_PROXY';
    spec.externalTrafficAuthentication = 'AZURE_AUTH';
  };
  test('an API proxy asks for tokens', () => {
    expect(found(proxy)).toEqual([]);
    const weak = (spec: ServiceSpec) => {
      proxy(spec);
      spec.externalTrafficAuthentication = 'BASIC_AUTH';
    };
    expect(found(weak)).toEqual(['externalTrafficAuthentication: ApiProxyNeedsJwt']);
  });
  test('an API proxy keeps its base path once it is applied', () => {
    expect(found(proxy, { appliedBasePath: '/' })).toEqual([]);
    expect(found(proxy, { appliedBasePath: '/api' })).toEqual(['externalTraffic.basePath: BasePathFixed']);
    expect(found(() => {}, { appliedBasePath: '/api' })).toEqual([]);
  });
});

test('a command is needed where health is checked by one', () => {
  const check = (enabled: boolean, command: string[]) =>
    found((spec) => Object.assign(spec.template.healthCheck, { enabled, type: 'exec', exec: { command } }));
  expect([check(true, ['  ']), check(true, ['node', 'check.js']), check(false, [])]).toEqual([
    ['template.healthCheck.exec.command: Required'],
    [],
    [],
  ]);
});

test('a policy by pattern needs one that can be read', () => {
  const policy = (type: 'MANUAL' | 'REGEX', pattern: string) => found((spec) => (spec.imageUpdatePolicy = { type, regex: { pattern } }));
  const path = 'imageUpdatePolicy.regex.pattern';
  expect([policy('REGEX', ''), policy('REGEX', '('), policy('REGEX', '^v\\d+$'), policy('MANUAL', '(')]).toEqual([
    [`${path}: Required`],
    [`${path}: NotARegularExpression`],
    [],
    [],
  ]);
});

test('a vault proxy is not offered where the engine has none', () => {
  const wanted = (spec: ServiceSpec) => (spec.template.vaultProxyEnabled = true);
  expect(found(wanted)).toEqual(['template.vaultProxyEnabled: NotOnThisEngine']);
  expect(found(wanted, { hasVaultProxy: true })).toEqual([]);
});

test('several are reported together, in the order of the screen, each with a sentence', () => {
  const errors = serviceSettingsErrors(
    settingsOf((spec) => {
      spec.containerImageName = 'elsewhere/x';
      spec.exposedPort = null;
      spec.template.envVars = [
        { name: 'A', source: 'STATIC' },
        { name: 'A', source: 'STATIC' },
      ];
    }),
    facts,
  );
  expect(errors.map(({ code, context }) => messageOf(code, context))).toEqual([
    "Container image must contain full path to the company's container registry",
    'The environment variable A is set more than once',
    'External traffic cannot be on when internal traffic is off',
    'Exposed port is required',
  ]);
});

describe('a mount path', () => {
  const at = (mountPath: string) =>
    found((spec) => (spec.template.secretFileMounts = [mount({ mountPath })])).map((line) => line.replace(/^.*: /, ''));
  test.each(['/', '//', '/proc', '/proc/1/root/etc', '//proc//1', '/dev', '/dev/shm/', '/sys/kernel', '/tmp', '/tmp/tls'])(
    '%s is reserved',
    (path) => {
      expect(at(path)).toEqual(['ReservedMountPath']);
    },
  );
  test.each(['/etc', '/etc/', '/usr//lib', '/lib64', '/bin', '/etc/ld.so.preload', '/etc/resolv.conf'])('%s is the system’s', (path) => {
    expect(at(path)).toEqual(['SystemMountPath']);
  });
  test.each(['/a/../proc', '/..', '/etc/./tls', '/etc/tls/..', '/.'])('%s is not plain', (path) => {
    expect(at(path)).toEqual(['NotAPath']);
  });
  test.each([
    '/etc/tls',
    '/etc/ssl/own',
    '/usr/lib/plugins',
    '/opt',
    '/run/secrets/',
    '/process',
    '/tmpfiles',
    '/devices',
    '/app/proc',
    '/app/..data',
    '/a/.b',
  ])('%s is free', (path) => {
    expect(at(path)).toEqual([]);
  });
});

describe('a sign-in at the edge', () => {
  const asked = (change: (spec: ServiceSpec) => void, isNetworkIsolated = false) => found(change, { isNetworkIsolated });
  test.each(['BASIC_AUTH', 'AZURE_AUTH'] as const)('%s needs instances that are kept apart', (type) => {
    const change = (spec: ServiceSpec): unknown => (spec.externalTrafficAuthentication = type);
    expect(asked(change)).toEqual(['externalTrafficAuthentication: SignInNeedsNetworks']);
    expect(asked(change, true)).toEqual([]);
  });
  test('is nobody’s matter where none is asked for, or nobody comes', () => {
    expect(asked(() => {})).toEqual([]);
    const idle = (spec: ServiceSpec): void => {
      spec.externalTraffic.type = 'NONE';
      spec.externalTrafficAuthentication = 'BASIC_AUTH';
    };
    expect(asked(idle)).toEqual([]);
  });
});

describe('outgoing traffic', () => {
  const hosts = (...list: string[]) => ServiceSpec.safeParse({ ...newServiceSpec('x'), outgoingTraffic: { type: 'LISTED', hosts: list } });
  const codes = (...list: string[]): string[] => [...new Set(hosts(...list).error?.issues.map(({ message }) => message) ?? [])];
  test.each(['api.example.com', 'api.example.com:8443', '*.example.com', '*.example.com:8443', 'db:5432', '203.0.113.7', 'a--b.example'])(
    '%s can be listed',
    (host) => expect(codes(host)).toEqual([]),
  );
  test.each([
    '*',
    '*.',
    'a.*.com',
    '*example.com',
    'Example.com',
    'https://example.com',
    'example.com/x',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:080',
    'a..b',
    '-a.com',
    'a-.com',
    '[::1]',
    '::1',
    'a b',
    'a@b',
    `${'a'.repeat(64)}.com`,
    'example.com\n',
    'exämple.com',
    'example.com.',
    '2130706433',
    '0x7f000001:80',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '127.0.0.01',
    '1.2.3.4.5',
    '256.1.1.1',
    '*.127.0.0.1',
    '127.0.0.0x1',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]:80',
    'fe80::1',
  ])('%s cannot', (host) => expect(codes(host)).toEqual(['NotAHost']));
  const judged = (host: string, insideHosts: readonly string[] = []) =>
    found((spec) => (spec.outgoingTraffic = { type: 'LISTED', hosts: ['api.example.com', host] }), { insideHosts });
  test.each([
    'localhost',
    'localhost:5432',
    'a.localhost',
    '*.localhost',
    '0.0.0.0',
    '127.0.0.1:5700',
    '127.255.0.9',
    '169.254.169.254',
    '10.0.0.7',
    '172.16.0.1:80',
    '172.31.9.9',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ])('%s is not in reach', (host) => expect(judged(host)).toEqual(['outgoingTraffic.hosts.1: PrivateHost']));
  test.each(['9.255.255.255', '172.15.0.1', '172.32.0.1', '192.169.0.1', '169.253.1.1', '223.255.255.255', 'localhost.example.com'])(
    '%s is',
    (host) => expect(judged(host)).toEqual([]),
  );
  test('a private host is in reach where an administrator allows it', () => {
    expect(judged('10.0.0.7:9200', ['10.0.0.7:9200'])).toEqual([]);
    expect(judged('10.0.0.7:9200', ['10.0.0.8:9200'])).toEqual(['outgoingTraffic.hosts.1: PrivateHost']);
  });
  test('an empty host is missing, and 50 are enough', () => {
    expect(codes('')).toContain('Required');
    expect(hosts(...Array.from({ length: 50 }, (_, index) => `h${index}.example`)).success).toBe(true);
    expect(hosts(...Array.from({ length: 51 }, (_, index) => `h${index}.example`)).success).toBe(false);
  });
  test('a list without a host is none', () => {
    expect(found((spec) => (spec.outgoingTraffic.type = 'LISTED'))).toEqual(['outgoingTraffic.hosts: Required']);
    expect(found((spec) => (spec.outgoingTraffic.type = 'ANY'))).toEqual([]);
  });
});
