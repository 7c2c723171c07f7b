/** Differences of settings: the listed changes, their effects, and that copying all of them yields the other settings. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { carryChanges, hasEffect, serviceChanges } from './settings-diff.ts';
import { settingsFieldOf, settingsFields, type ServiceSettings } from './service-settings.ts';
import {
  mountFormats,
  newServiceSpec,
  regions,
  rolloutStrategies,
  ServiceSpec,
  type EnvVar,
  type SecretFileMount,
} from './service-spec.ts';

const image = 'localhost:4000/berth/berth';
const blank = (): ServiceSettings => ({ githubRepositoryName: null, active: true, spec: newServiceSpec(image) });
const copyOf = (settings: ServiceSettings): ServiceSettings => JSON.parse(JSON.stringify(settings)) as ServiceSettings;
const changed = (change: (settings: ServiceSettings) => void): ServiceSettings => {
  const settings = blank();
  change(settings);
  return settings;
};

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const path = fc.stringMatching(/^\/[a-z0-9/]{0,12}$/);
const port = fc.integer({ min: 1, max: 65_535 });
const staticVar = fc.record({
  name: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,6}$/),
  source: fc.constant('STATIC' as const),
  value: fc.string(),
});
const secretVar = fc.record({
  name: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,6}$/),
  source: fc.constant('SECRET_KEY' as const),
  secretGroup: name,
  secretKey: name,
});
const envVars: fc.Arbitrary<EnvVar[]> = fc.uniqueArray(fc.oneof(staticVar, secretVar), { selector: (item) => item.name, maxLength: 6 });
const mount: fc.Arbitrary<SecretFileMount> = fc
  .record({ mountPath: path, secretGroup: name, all: fc.boolean(), fileFormat: fc.constantFrom(...mountFormats), key: name })
  .map(({ all, key, ...rest }) => ({ ...rest, includeAllKeys: all, secretKey: all ? null : key }));
const mounts = fc.uniqueArray(mount, { selector: (item) => item.mountPath, maxLength: 4 });

const anySettings: fc.Arbitrary<ServiceSettings> = fc
  .record({
    githubRepositoryName: fc.option(name),
    active: fc.boolean(),
    region: fc.constantFrom(...regions),
    days: fc.option(fc.integer({ min: 1, max: 365 })),
    cpuMillicores: fc.integer({ min: 50, max: 16_000 }),
    exposedPort: fc.option(port),
    type: fc.constantFrom('NONE', 'DIRECT', 'API_PROXY'),
    domain: fc.option(fc.constantFrom('a.example.com', 'b.example.com')),
    basePath: path,
    prefixes: fc.array(path, { maxLength: 3 }),
    strategy: fc.constantFrom(...rolloutStrategies),
    pattern: fc.string(),
    command: fc.array(fc.string(), { maxLength: 3 }),
    count: fc.integer({ min: 0, max: 10 }),
    metricsPort: fc.option(port),
    envVars,
    mounts,
  })
  .map((it) => {
    const settings = changed(({ spec }) => {
      Object.assign(spec, {
        region: it.region,
        scaleDownAfterDays: it.days,
        exposedPort: it.exposedPort,
        rollout: { strategy: it.strategy },
      });
      spec.resources.cpuMillicores = it.cpuMillicores;
      Object.assign(spec.externalTraffic, { type: it.type, domain: it.domain, basePath: it.basePath });
      spec.externalTraffic.config.excludePathPrefixes = it.prefixes;
      spec.imageUpdatePolicy.regex.pattern = it.pattern;
      spec.template.healthCheck.exec.command = it.command;
      spec.template.replicaScaling.count = it.count;
      spec.observability.metrics.port = it.metricsPort;
      Object.assign(spec.template, { envVars: it.envVars, secretFileMounts: it.mounts });
    });
    return { ...settings, githubRepositoryName: it.githubRepositoryName, active: it.active };
  });

/** Sorts lists of named items, whose order does not matter. */
const inOrder = (settings: ServiceSettings): ServiceSettings => {
  const { template } = settings.spec;
  const envSorted = template.envVars.toSorted((a, b) => a.name.localeCompare(b.name));
  const mountsSorted = template.secretFileMounts.toSorted((a, b) => a.mountPath.localeCompare(b.mountPath));
  return { ...settings, spec: { ...settings.spec, template: { ...template, envVars: envSorted, secretFileMounts: mountsSorted } } };
};

describe('changes', () => {
  test('of equal settings are none', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        expect(serviceChanges(settings, copyOf(settings))).toEqual([]);
      }),
    );
  });

  test('carried over, all of them, give the other settings', () => {
    fc.assert(
      fc.property(anySettings, anySettings, (base, source) => {
        const paths = serviceChanges(base, source).map((change) => change.path);
        expect(inOrder(carryChanges(base, source, paths))).toEqual(inOrder(source));
      }),
    );
  });

  test('carried over in part leave the rest as it was, and touch neither side', () => {
    fc.assert(
      fc.property(anySettings, anySettings, fc.func(fc.boolean()), (base, source, isCarried) => {
        const [baseBefore, sourceBefore] = [copyOf(base), copyOf(source)];
        const all = serviceChanges(base, source).map((change) => change.path);
        const carried = all.filter((one) => isCarried(one));
        const result = carryChanges(base, source, carried);
        expect(serviceChanges(result, source).map((change) => change.path)).toEqual(all.filter((one) => !carried.includes(one)));
        expect([base, source]).toEqual([baseBefore, sourceBefore]);
      }),
    );
  });

  test('the other way round swap before and after', () => {
    fc.assert(
      fc.property(anySettings, anySettings, (a, b) => {
        const print = (changes: ReturnType<typeof serviceChanges>) => new Set(changes.map((one) => JSON.stringify([one.path, one.before])));
        const swapped = (changes: ReturnType<typeof serviceChanges>) =>
          new Set(changes.map((one) => JSON.stringify([one.path, one.after])));
        expect(print(serviceChanges(a, b))).toEqual(swapped(serviceChanges(b, a)));
      }),
    );
  });

  test('come in the order of the screen, with label, unit and effect', () => {
    const after = changed((settings) => {
      settings.spec.template.envVars = [{ name: 'LOG_LEVEL', source: 'STATIC', value: 'debug' }];
      settings.spec.resources.cpuMillicores = 500;
      settings.spec.externalTraffic.basePath = '/api';
      settings.active = false;
    });
    expect(serviceChanges(blank(), after)).toEqual([
      { path: 'active', section: 'general', label: 'Active', unit: null, effect: 'ACTIVE', before: true, after: false },
      { path: 'spec.resources.cpuMillicores', section: 'resources', label: 'CPU', unit: 'm', effect: 'RESTART', before: 250, after: 500 },
      {
        path: 'spec.template.envVars.LOG_LEVEL',
        section: 'environment',
        label: 'LOG_LEVEL',
        unit: null,
        effect: 'RESTART',
        before: null,
        after: { source: 'STATIC', value: 'debug' },
      },
      {
        path: 'spec.externalTraffic.basePath',
        section: 'network',
        label: 'Base path',
        unit: null,
        effect: 'EDGE',
        before: '/',
        after: '/api',
      },
    ]);
  });

  test('of what only looks different are none: an empty value, the case of a format, the order of variables', () => {
    const one = changed(({ spec }) => {
      spec.template.envVars = [
        { name: 'A', source: 'STATIC' },
        { name: 'B', source: 'STATIC', value: 'b' },
      ];
      spec.template.secretFileMounts = [{ mountPath: '/x', secretGroup: 'db', includeAllKeys: true, fileFormat: 'ENV', secretKey: 'K' }];
    });
    const other = changed(({ spec }) => {
      spec.template.envVars = [
        { name: 'B', source: 'STATIC', value: 'b' },
        { name: 'A', source: 'STATIC', value: '', secretGroup: 'left-over' },
      ];
      spec.template.secretFileMounts = [{ mountPath: '/x', secretGroup: 'db', includeAllKeys: true, fileFormat: 'env', secretKey: null }];
    });
    expect(serviceChanges(one, other)).toEqual([]);
  });
});

test('an effect is found, or is not', () => {
  expect([hasEffect([{ effect: 'EDGE' }], 'EDGE'), hasEffect([{ effect: 'EDGE' }], 'RESTART'), hasEffect([], 'EDGE')]).toEqual([
    true,
    false,
    false,
  ]);
});

/** Returns every leaf of the schema; a list counts as one leaf. */
const leavesOf = (value: unknown, at: string): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, at === '' ? key : `${at}.${key}`))
    : [at];

test('every setting has a label, a section and an effect, and every field a setting', () => {
  expect(ServiceSpec.safeParse(newServiceSpec(image)).success).toBe(true);
  expect(leavesOf(blank(), '').toSorted()).toEqual(Object.keys(settingsFields).toSorted());
});

test('a path belongs to the field whose list it is in', () => {
  expect(settingsFieldOf('spec.template.envVars.3.name')?.label).toBe('Environment variable');
  expect(settingsFieldOf('spec.template.secretFileMounts./etc/tls.d/x')?.label).toBe('File volume');
  expect([settingsFieldOf('spec.nothing'), settingsFieldOf('toString')]).toEqual([undefined, undefined]);
});
