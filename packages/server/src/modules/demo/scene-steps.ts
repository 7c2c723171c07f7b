/** The steps of the demo scene, in order: two teams of a shipping company with apps, data, streams, failures and requests. */
import { catalogApplicationCreate } from '@slipway/contract/catalog/application.ts';
import { flagCreate, flagSettingsUpdate, flagView } from '@slipway/contract/flag/flag.ts';
import { monitorCreate, monitorView } from '@slipway/contract/monitoring/monitor.ts';
import { quickstartApplicationCreate, quickstartParts } from '@slipway/contract/quickstart.ts';
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { serviceCreate, serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import { serviceDeploy, serviceView } from '@slipway/contract/service/service.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { csvLine } from '#kernel/csv.ts';
import { SceneFailure } from './scene-api.ts';
import { browserPayloads } from './browser-payloads.ts';
import type { Scene } from './scene.ts';

export interface SceneStep {
  readonly title: string;
  run(scene: Scene): Promise<void>;
}

const env = 'development';
const [fleet, cargo] = ['fleet-operations', 'cargo-services'] as const;
const [tracker, calls, portal] = ['vessel-tracker', 'port-calls', 'cargo-portal'] as const;
const serviceAt = (app: string, service = app) => ({ app, env, service });

const team = (id: string, displayName: string): SceneStep => ({
  title: `Team ${displayName}`,
  run: (scene) =>
    scene.make({ kind: 'team', names: { team: id } }, () =>
      scene.api.call(teamCreate, {
        body: { id, displayName, ownerIds: [...new Set([scene.options.runBy, scene.options.owner ?? scene.options.runBy])] },
      }),
    ),
});

interface App {
  readonly id: string;
  readonly displayName: string;
  readonly teamId: string;
  readonly template: string;
  readonly withDatabase?: boolean;
  readonly withStream?: boolean;
}
const app = (wanted: App): SceneStep => ({
  title: `App ${wanted.displayName}`,
  run: (scene) => {
    const { id, withDatabase, withStream } = wanted;
    const { database, schema, topic, account } = quickstartParts(id);
    const part = (kind: string, name: string) => ({ kind, names: { app: id, env, [kind]: name } });
    // The service comes last: it is removed first, because its revisions read the secrets of the others.
    const more = [
      ...(withDatabase ? [part('database', database)] : []),
      ...(withStream ? [part('schema', schema), part('topic', topic), part('account', account)] : []),
      part('service', id),
    ];
    return scene.make(
      { kind: 'application', names: { app: id } },
      () => scene.api.call(quickstartApplicationCreate, { body: wanted }),
      more,
    );
  },
});

/** Sets variables of a service and rolls them out. */
const configure = async (scene: Scene, service: string, variables: Readonly<Record<string, string>>): Promise<void> => {
  const params = serviceAt(service);
  const { spec, settingsVersion, githubRepositoryName, active } = await scene.api.call(serviceView, { params });
  const envVars = Object.entries(variables).map(([name, value]) => ({ name, source: 'STATIC' as const, value }));
  const changed: ServiceSpec = { ...spec, template: { ...spec.template, envVars } };
  await scene.api.done(
    await scene.api.call(serviceUpdate, { params, body: { spec: changed, settingsVersion, githubRepositoryName, active } }),
  );
};

const addressOf = (scene: Scene, name: string): string =>
  scene.options.serviceUrl.replace('{service}', name).replace('{app}', name).replace('{env}', env);

const traffic: SceneStep = {
  title: 'Calls between apps, rows and messages',
  run: (scene) =>
    scene.once('traffic', () =>
      configure(scene, tracker, {
        INTERVAL_SECONDS: '5',
        PEER_URLS: [`${addressOf(scene, calls)}/berths`, `${addressOf(scene, portal)}/`].join(','),
      }),
    ),
};

const secondDeploy: SceneStep = {
  title: 'Second deploy of Cargo Portal',
  run: (scene) =>
    scene.once('second-deploy', async () => {
      const params = serviceAt(portal);
      const { status } = await scene.api.call(serviceView, { params });
      if (status.imageTag) await scene.api.done(await scene.api.call(serviceDeploy, { params, body: { imageTag: status.imageTag } }));
    }),
};

const failing: SceneStep = {
  title: 'A service that fails',
  run: async (scene) => {
    const name = `${tracker}-forecast`;
    const params = serviceAt(tracker, name);
    const { spec, status } = await scene.api.call(serviceView, { params: serviceAt(tracker) });
    const wanted = newServiceSpec(spec.containerImageName);
    // The worker refuses this value at its start, and says why.
    const envVars = [{ name: 'INTERVAL_SECONDS', source: 'STATIC' as const, value: 'every tide' }];
    await scene.make({ kind: 'service', names: params }, () =>
      scene.api.call(serviceCreate, {
        params: { app: tracker, env },
        body: { name, spec: { ...wanted, template: { ...wanted.template, envVars } } },
      }),
    );
    await scene.once('failed-deploy', async () => {
      const run = await scene.api.call(serviceDeploy, { params, body: { imageTag: status.imageTag ?? '' } });
      if ('pipelineId' in run) await scene.api.ended(run.pipelineId);
    });
  },
};

const request: SceneStep = {
  title: 'A request for a topic of another team',
  run: (scene) => {
    const topics = [{ resourceId: quickstartParts(tracker).topic, applicationCode: tracker }];
    const body = {
      name: 'portal',
      description: 'Shows arrivals to customers, and reports cargo that is ready.',
      consumeTopics: topics,
      produceTopics: topics,
      reason: 'Customers report when their cargo is ready for loading.',
      secretGroup: `${portal}-events`,
    };
    return scene.make({ kind: 'account', names: { app: portal, env, account: body.name } }, () =>
      scene.api.call(accountCreate, { params: { app: portal, env }, body }),
    );
  },
};

/** Somebody changes the retention on the cluster, past the platform. */
const drift: SceneStep = {
  title: 'Drift on the Kafka cluster',
  run: (scene) =>
    scene.once('drift', () =>
      scene.options.streaming.alterTopic(env, physicalName(tracker, quickstartParts(tracker).topic), {
        configs: { 'retention.ms': String(72 * 3_600_000) },
      }),
    ),
};

const secrets: SceneStep = {
  title: 'Secrets',
  run: (scene) => {
    const names = { app: calls, env, group: 'weather-service' };
    const entries = [
      { key: 'WEATHER_URL', value: 'https://weather.example.com/marine' },
      { key: 'WEATHER_API_KEY', value: 'demo-key-without-use' },
    ];
    return scene.make({ kind: 'secretGroup', names }, () =>
      scene.api.call(secretGroupCreate, { params: { app: calls, env }, body: { name: names.group, entries } }),
    );
  },
};

const flag = async (scene: Scene, name: string, description: string): Promise<void> => {
  const names = { app: portal, flag: name };
  await scene.make({ kind: 'flag', names }, () =>
    scene.api.call(flagCreate, { params: { app: portal }, body: { name, description, type: 'BOOLEAN', value: false } }),
  );
};
const flags: SceneStep = {
  title: 'Feature flags',
  run: async (scene) => {
    await flag(scene, 'live-vessel-map', 'Shows vessels on a map that moves.');
    await flag(scene, 'self-service-customs', 'Customers file customs declarations themselves.');
    await scene.once('flag-rule', async () => {
      const params = { app: portal, flag: 'live-vessel-map', env };
      const { development } = await scene.api.call(flagView, { params });
      const split = {
        id: 'half',
        description: 'Half of the customers',
        effect: 'SPLIT' as const,
        variations: [
          { name: 'map', value: true, share: 50 },
          { name: 'list', value: false, share: 50 },
        ],
      };
      await scene.api.call(flagSettingsUpdate, {
        params,
        body: { basedOn: development.version, enabled: true, rules: [split], comment: 'Try the map with half of the customers.' },
      });
    });
  },
};

const monitoring: SceneStep = {
  title: 'Browser monitoring',
  run: async (scene) => {
    const names = { app: portal, env, monitor: 'cargo-portal-web' };
    const origin = addressOf(scene, portal);
    await scene.make({ kind: 'monitor', names }, () =>
      scene.api.call(monitorCreate, { params: { app: portal, env }, body: { name: names.monitor, allowedOrigins: ['*'] } }),
    );
    await scene.once('browser-payloads', async () => {
      const { collectorUrl, apiKey } = await scene.api.call(monitorView, { params: names });
      const path = new URL(collectorUrl).pathname;
      for (const payload of browserPayloads(origin)) {
        const answer = await fetch(`${scene.api.base}${path}`, {
          method: 'POST',
          headers: { origin, 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify(payload),
          signal: scene.api.signal,
        });
        if (!answer.ok) throw new SceneFailure(`The collector refused a payload: ${answer.status}`);
      }
    });
  },
};

const portfolio = { kind: 'portfolio', name: 'Fleet and cargo', description: 'Vessels at sea, and what they carry.' };
const platform = { kind: 'platform', name: 'Fleet visibility', description: 'Where vessels are, and when they arrive.' };
const product = { kind: 'product', name: 'Vessel tracking', description: 'Positions and arrivals of every vessel of the fleet.' };
const tracking = { name: 'Vessel Position Tracker', description: 'Follows every vessel of the fleet and predicts its arrival.' };
const register = { name: 'Port Call Register', description: 'Lists the calls of vessels at ports, with berth and time.' };
/** Columns: kind, name, description, owners, portfolio, platform, type, code. */
const catalogEntries = [
  [portfolio, '', '', 'business', 'FLEETCAR'],
  [platform, portfolio.name, '', 'operations', ''],
  [product, '', platform.name, '', 'FLEET-TRACK'],
  [{ kind: 'application', ...tracking }, '', platform.name, '', ''],
  [{ kind: 'application', ...register }, '', platform.name, '', ''],
] as const;

/** The catalog's portfolio, platform, product and applications. The last application waits for an approval. */
const catalog: SceneStep = {
  title: 'Catalog entries',
  run: async (scene) => {
    const { owner } = scene.options;
    // The catalog accepts people alone as owners.
    if (owner === undefined) return;
    const lines = catalogEntries.map(([{ kind, name, description }, ...more]) => csvLine([kind, name, description, owner, ...more]));
    const head = csvLine(['kind', 'name', 'description', 'owners', 'portfolio', 'platform', 'type', 'code']);
    const [, platformId = ''] = await scene.importEntries(
      [head, ...lines].join(''),
      catalogEntries.map(([{ kind, name }]) => ({ kind, name })),
    );
    const { api, id: planner } = await scene.asServiceAccount(fleet, 'Fleet planning');
    const wanted = { applicationName: 'Container Weighing', description: 'Records the verified gross mass of containers before loading.' };
    await scene.requestEntry({ kind: 'application', name: wanted.applicationName }, planner, async () => {
      const body = { ...wanted, owners: [owner], platformId };
      const { applicationId } = await api.call(catalogApplicationCreate, { body, headers: { source: 'API' } });
      return applicationId;
    });
  },
};

export const sceneSteps: readonly SceneStep[] = [
  team(fleet, 'Fleet Operations'),
  team(cargo, 'Cargo Services'),
  app({ id: tracker, displayName: 'Vessel Tracker', teamId: fleet, template: 'node-worker', withDatabase: true, withStream: true }),
  app({ id: calls, displayName: 'Port Calls', teamId: fleet, template: 'node-http-api', withDatabase: true }),
  app({ id: portal, displayName: 'Cargo Portal', teamId: cargo, template: 'node-web' }),
  traffic,
  failing,
  secondDeploy,
  request,
  secrets,
  flags,
  monitoring,
  catalog,
  drift,
];
