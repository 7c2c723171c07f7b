/** service.yaml without HTTP: a written file reads back as the same settings, and each error names its line. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { Problem } from '#kernel/problem.ts';
import { readYaml, withLine } from './yaml-read.ts';
import { yamlOf } from './yaml-write.ts';

const key = { app: 'berth', environment: 'development', service: 'berth-api' } as const;
const image = 'localhost:4000/berth/berth-api';
const settings = (change: Partial<ServiceSpec> = {}): ServiceSettings => ({
  githubRepositoryName: 'berth',
  active: true,
  spec: { ...newServiceSpec(image), ...change },
});
const blank: ServiceSettings = { githubRepositoryName: null, active: false, spec: newServiceSpec('localhost:4000/berth/other') };

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('yes', 'null', '0123', '1e3', '- a', '# b', 'a: b', '  x', 'y\n', '\t', '2026-11-20'),
);
const envVar = fc.oneof(
  fc.record({ name, source: fc.constant('STATIC' as const), value: text }),
  fc.record({ name, source: fc.constant('SECRET_KEY' as const), secretGroup: fc.constant('database'), secretKey: name }),
);
const mount = fc.record({
  mountPath: fc.stringMatching(/^\/[a-z0-9/._-]{1,30}$/),
  secretGroup: fc.constant('database'),
  includeAllKeys: fc.boolean(),
  fileFormat: fc.constantFrom('file', 'env', 'json'),
  secretKey: fc.option(name),
});
const anySettings = fc
  .record({
    repository: fc.option(fc.stringMatching(/^[a-z][a-z0-9-]{1,20}$/)),
    active: fc.boolean(),
    envVars: fc.uniqueArray(envVar, { selector: (item) => item.name, maxLength: 8 }),
    mounts: fc.uniqueArray(mount, { selector: (item) => item.mountPath, maxLength: 4 }),
    command: fc.array(text, { maxLength: 4 }),
    prefixes: fc.array(fc.stringMatching(/^\/[a-z0-9#:-]{0,20}$/), { maxLength: 3 }),
    pattern: text,
    count: fc.integer({ min: 0, max: 10 }),
    days: fc.option(fc.integer({ min: 1, max: 365 })),
  })
  .map((made): ServiceSettings => {
    const spec = newServiceSpec(image);
    spec.template.envVars = made.envVars;
    spec.template.secretFileMounts = made.mounts;
    spec.template.healthCheck.exec.command = made.command;
    spec.template.replicaScaling.count = made.count;
    spec.externalTraffic.config.excludePathPrefixes = made.prefixes;
    spec.imageUpdatePolicy.regex.pattern = made.pattern;
    spec.scaleDownAfterDays = made.days;
    return { githubRepositoryName: made.repository, active: made.active, spec };
  });

test('what is written is read as the same settings, whatever they were before', () =>
  fc.assert(
    fc.asyncProperty(anySettings, async (wanted) => {
      for (const before of [wanted, blank])
        expect(serviceChanges(wanted, (await readYaml(yamlOf(key, wanted), key, before)).settings)).toEqual([]);
    }),
  ));

test('the same settings make the same text, however the database keeps them', () => {
  const shuffled = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([one, inner]) => [one, shuffled(inner)]),
        );
  const wanted = settings();
  expect(yamlOf(key, shuffled(wanted) as ServiceSettings)).toBe(yamlOf(key, wanted));
});

test('it says what it is of, in which units, and what looks like a secret', () => {
  const spec = newServiceSpec(image);
  spec.template.envVars = [
    { name: 'DB_PASSWORD', source: 'STATIC', value: 'hunter2-is-weak' },
    { name: 'API_KEY', source: 'SECRET_KEY', secretGroup: 'partner', secretKey: 'API_KEY', value: 'left over' },
  ];
  const yaml = yamlOf(key, settings(spec));
  expect(yaml).toMatch(
    /^apiVersion: slipway\/v1\nkind: Service\nmetadata:\n {2}app: berth\n {2}environment: development\n {2}name: berth-api\n/,
  );
  expect(yaml).toContain('cpuMillicores: 250 # thousandths of a CPU\n');
  expect(yaml).toContain('strategy: ROLLING_UPDATE # RED_BLACK, RECREATE, ROLLING_UPDATE\n');
  expect(yaml).toMatch(/# Looks like .+: better kept in a secret group\.\n/);
  expect(yaml).not.toContain('left over');
});

const errorsOf = async (yaml: string): Promise<string[]> => {
  try {
    await readYaml(yaml, key, settings());
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ field, code, context }) => `${context?.['line']} ${field} ${code}`);
  }
};
const bomb = `a: &a [x,x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*a,*a]`).join('\n')}`;

describe('a file is refused', () => {
  test.each([
    ['that is no YAML', 'spec: [1', ['1 yaml YamlInvalid']],
    ['that is no map', '- one', ['1 yaml YamlInvalid']],
    ['of another service', 'metadata:\n  name: berth-web', ['1 yaml YamlOtherService']],
    ['of the other environment', 'kind: Service\nmetadata:\n  environment: prod', ['2 yaml YamlOtherService']],
    ['of another kind', 'apiVersion: v2\nkind: Deployment', ['1 yaml YamlInvalid', '2 yaml YamlInvalid']],
    ['with a field that is none', 'active: true\nspec:\n  replicas: 3\n  cpu: 1', ['3 yaml YamlUnknownField', '4 yaml YamlUnknownField']],
    [
      'that reaches for a prototype',
      'spec:\n  __proto__:\n    x: 1\n  constructor: 1',
      ['2 yaml YamlUnknownField', '4 yaml YamlUnknownField'],
    ],
    ['with a key twice', 'active: true\nactive: false', ['2 yaml YamlInvalid']],
    ['with two documents', 'active: true\n---\nactive: false', ['2 yaml YamlInvalid']],
    ['with a tag', 'active: !!js/function "x"', ['1 yaml YamlInvalid']],
    ['with aliases', 'active: &a true\nspec:\n  spotComputeEnabled: *a', ['3 yaml YamlInvalid']],
    ['with a wrong number', 'spec:\n  resources:\n    cpuMillicores: 5', ['3 spec.resources.cpuMillicores Minimum']],
    ['with a wrong word', 'spec:\n  rollout:\n    strategy: BLUE_GREEN', ['3 spec.rollout.strategy InvalidValue']],
    ['with a text for a number', 'spec:\n  resources:\n    memoryMegabytes: 1Gi', ['3 spec.resources.memoryMegabytes NotANumber']],
    ['with a map for a value', 'spec:\n  region:\n    a: 1', ['2 spec.region RegionDoesNotExist']],
    ['with a value for a map', 'spec:\n  resources: 3', ['2 yaml YamlInvalid']],
    ['with half a character', 'spec:\n  region: "\\ud800"', ['2 yaml YamlInvalid']],
    [
      'with a variable that lacks its name',
      'spec:\n  template:\n    envVars:\n    - name: A\n      source: STATIC\n    - source: STATIC\n      value: x',
      ['6 spec.template.envVars.1.name Required'],
    ],
  ])('%s', async (_name, yaml, errors) => {
    expect(await errorsOf(yaml)).toEqual(errors);
  });

  test('that grows without end, is nested without end, or names things without end', async () => {
    expect((await errorsOf(bomb)).length).toBeGreaterThan(0);
    expect(await errorsOf('['.repeat(60_000))).toEqual(['1 yaml YamlInvalid']);
    expect(await errorsOf(`spec: ${'{a: '.repeat(15_000)}`)).toEqual(['1 yaml YamlInvalid']);
    expect(await errorsOf(`active: true\n${'- '.repeat(30_000)}`)).not.toEqual([]);
    expect(await errorsOf(Array.from({ length: 9000 }, (_, n) => `k${n}: v`).join('\n'))).toHaveLength(50);
    expect(await errorsOf('a: !b c\n'.repeat(8000))).toHaveLength(50);
  });
});

describe('a file may leave things out', () => {
  const read = async (yaml: string) => (await readYaml(yaml, key, settings())).settings;
  test('what it does not name stays', async () => {
    const changes = serviceChanges(settings(), await read('spec:\n  resources:\n    cpuMillicores: 500\n  template:\n    envVars:\n'));
    expect(changes.map(({ path, after }) => [path, after])).toEqual([['spec.resources.cpuMillicores', 500]]);
  });
  test('null says nothing where there is a map, and none where there may be none', async () => {
    expect(serviceChanges(settings(), await read('spec:\nmetadata:\n'))).toEqual([]);
    expect((await read('githubRepositoryName: null')).githubRepositoryName).toBeNull();
  });
  test('a number is a text to a variable', async () => {
    const { envVars } = (await read('spec:\n  template:\n    envVars:\n    - {name: PORT, source: STATIC, value: 0x1F}')).spec.template;
    expect(envVars).toEqual([{ name: 'PORT', source: 'STATIC', value: '0x1F' }]);
  });
});

test('a rule’s error gets the line of the nearest thing that the file holds', async () => {
  const { lineOf } = await readYaml('spec:\n  externalTraffic:\n    type: DIRECT\n  exposedPort: null', key, settings());
  const at = (field: string) => withLine({ field, code: 'Required' }, lineOf).context?.['line'];
  expect([at('spec.exposedPort'), at('spec.externalTraffic.domain'), at('githubRepositoryName')]).toEqual(['4', '2', undefined]);
});
