/** Checks without a cluster that the Helm chart agrees with the program: its variables, ports, paths, rights and the time for a stop. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '#kernel/config/settings.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const chart = join(root, 'deploy/helm/slipway');
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const templates = readdirSync(join(chart, 'templates')).map((name) => read(chart, 'templates', name));
const all = [...templates, read(chart, 'values.yaml'), read(root, 'deploy/Containerfile')].join('\n');
const server = read(chart, 'templates/deployment.yaml');

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
/** One line per resource, so that the grouping of rules does not matter. */
const linesOf = (rules: readonly Rule[]): string[] =>
  rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}: ${[...verbs].sort().join(' ')}`)),
    )
    .sort();
const clusterRules = linesOf(parse(read(chart, 'files/cluster-role-rules.yaml')) as Rule[]);

const names = (text: string, pattern: RegExp): string[] => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();

test('each variable in the chart exists in the configuration', () => {
  const used = names(all, /\b((?:SLIPWAY|OTEL)_[A-Z_]+|DATABASE_URL)\b/g);
  expect(used).toContain('SLIPWAY_KUBERNETES_POD');
  expect(used.filter((name) => !settings.has(name))).toEqual([]);
});

test('the rights are those of the file for installations without Helm', () => {
  const role = parseAllDocuments(read(root, 'deploy/kubernetes/rbac.yaml'))
    .map((document) => document.toJS() as { kind: string; rules?: Rule[] })
    .find(({ kind }) => kind === 'ClusterRole');
  expect(linesOf(role?.rules ?? [])).toEqual(clusterRules);
});

/** Rows of a table of rights: resources, verbs, reason. */
const tableOf = (page: string): string[] => {
  const rows = [
    ...page.matchAll(/<tr><td>([^<]+)<\/td><td>((?:get|list|watch|create|patch|update|delete|, )+)<\/td><td>[^<]+<\/td><\/tr>/g),
  ];
  return rows
    .flatMap(([, resources = '', verbs = '']) => resources.split(', ').map((name) => `${name}: ${verbs.split(', ').sort().join(' ')}`))
    .sort();
};
const named = (line: string): string => {
  const [group = '', rest = ''] = line.split(/\/(.*)/s);
  return group === 'metrics.k8s.io' ? rest.replace(':', ' of metrics.k8s.io:') : rest;
};

test('the tables of rights in the guide are the roles', () => {
  expect(tableOf(read(root, 'docs/guide/kubernetes.md'))).toEqual(clusterRules.map(named).sort());
  expect(tableOf(read(root, 'docs/guide/slipway-in-a-cluster.md'))).toEqual(
    linesOf(parse(read(chart, 'files/role-rules.yaml')) as Rule[]).map(named),
  );
});

test('the adapter works with the resources of the role, and no others', () => {
  const objects = read(root, 'packages/server/src/adapters/runtime-kubernetes/api/kube-object.ts');
  const plurals = names(objects, /(?:core\('\w+', |plural: )'([a-z]+)'/g);
  const inRole = new Set(clusterRules.map((line) => line.replace(/^[^/]*\//, '').replace(/[:/].*/, '')));
  expect(plurals).toEqual([...inRole].sort());
});

test('probes and metrics use paths that the program serves', () => {
  const served = read(root, 'packages/server/src/kernel/http/server.ts');
  const paths = names(templates.join('\n'), /path: (\/[a-z]+)/g).filter((path) => !path.startsWith('/api'));
  expect(paths).toEqual(['/healthz', '/metrics', '/readyz']);
  expect(served).toContain(`new Set(${JSON.stringify(['/healthz', '/readyz', '/metrics']).replaceAll('"', "'").replaceAll(',', ', ')})`);
});

test('the containers listen where their ports are', () => {
  const env = read(chart, 'templates/_helpers.tpl');
  const valueOf = (name: string): string | undefined => new RegExp(`name: ${name}\\n  value: '?([^'\\n]+)`).exec(env)?.[1];
  const portOf = (name: string): string | undefined => new RegExp(`name: ${name}, containerPort: (\\d+)`).exec(server)?.[1];
  expect([valueOf('PORT'), valueOf('SLIPWAY_INGRESS_PORT')]).toEqual(['4000', '4080']);
  expect([portOf('http'), portOf('edge')]).toEqual([valueOf('PORT'), valueOf('SLIPWAY_INGRESS_PORT')]);
});

test('a pod has the time that the drain and the server’s stop take', () => {
  const numberOf = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replace('_', '') ?? Number.NaN);
  const grace = numberOf(server, /terminationGracePeriodSeconds: (\d+)/);
  const drain = numberOf(server, /preStop: \{ sleep: \{ seconds: (\d+) \} \}/);
  const stopMs = numberOf(read(root, 'packages/server/src/run-platform.ts'), /process\.exit\(code \|\| 1\), ([\d_]+)\)/);
  expect(grace).toBeGreaterThan(drain + stopMs / 1000);
});

test('the edge’s Service selects by the label that the program sets', () => {
  const label = /HOLDER_LABEL = '([^']+)'/.exec(read(root, 'packages/server/src/adapters/runtime-kubernetes/holder-label.ts'))?.[1];
  expect(read(chart, 'templates/service.yaml')).toContain(`${label}: open`);
});

test('the schema names every value, and the chart has the version of the program', () => {
  const schema = JSON.parse(read(chart, 'values.schema.json')) as { properties: object };
  const values = parse(read(chart, 'values.yaml')) as object;
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .sort(),
  ).toEqual(Object.keys(values).sort());
  const { appVersion } = parse(read(chart, 'Chart.yaml')) as { appVersion: string };
  expect(read(root, 'packages/server/src/version.ts')).toContain(`version = '${appVersion}'`);
});
