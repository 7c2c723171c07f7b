/** Lists the placeholders in the examples, the preparation that examples need, and the examples that are not run, with the reason. */

import { root } from './blocks.ts';

/** Platform that the examples run against. */
export interface ExamplePlace {
  readonly port: number;
  readonly ingressPort: number;
  readonly token: string;
  /** A call of the API; answers its JSON. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Runs a script as an example is run, in the same directory and with the same variables. */
  shell(script: string): Promise<string>;
  /** Waits until no pipeline runs. */
  settled(): Promise<void>;
}

/** Text of an example → what is run. Everything else is run as it stands. */
export const placeholders = ({ port, ingressPort, token }: ExamplePlace): readonly (readonly [string, string])[] => [
  ['localhost:4000', `localhost:${port}`],
  ['localhost:4080', `localhost:${ingressPort}`],
  ['slw_…', token],
  ['npx slipway', `npm exec --prefix '${root}' -- slipway`],
  ['# change something', 'printf "\\n" >> package.json'],
  ['# change src/…', 'printf "\\n" >> package.json'],
  ['# change settings.json', `sed -i -E 's/"memoryMegabytes":[0-9]+/"memoryMegabytes":300/' settings.json`],
  ['# change service.yaml', `sed -i -E 's/memoryMegabytes: [0-9]+/memoryMegabytes: 300/' service.yaml`],
  ['$PERSON', 'kwame.boateng'],
  ['<you>', 'ada'],
  ['<repository>', 'berths'],
  ['<app>', 'berth-planner'],
  ['<service>', 'berth-planner'],
];

/** A block is known by its document and a piece of its text. */
interface About {
  readonly document: string;
  readonly holds: string;
}

export const notRun: readonly (About & { readonly reason: string })[] = [
  { document: 'docs/guide/accounts.md', holds: 'vesseleta', reason: 'names a topic of another team; accounts.test.ts makes such accounts' },
  {
    document: 'docs/guide/event-streaming.md',
    holds: 'read -rs',
    reason: 'asks for a password at the keyboard, and for kcat; npm run test:engines -- clients runs such lines',
  },
  {
    document: 'docs/guide/monitoring.md',
    holds: 'source-maps',
    reason: 'sends the source map that the build of an app makes; the tests of monitors send such maps',
  },
  { document: 'README.md', holds: 'npm test', reason: 'starts the platform and the tests, this one among them' },
  {
    document: 'README.md',
    holds: 'docker push',
    reason: "docker push needs Docker's engine; the guide's logins and skopeo's push are run",
  },
  {
    document: 'docs/guide/slipway-in-a-cluster.md',
    holds: 'npm run image',
    reason: "pushes to somebody else's registry; npm run test:engines -- kubernetes builds the image",
  },
  {
    document: 'docs/guide/slipway-in-a-cluster.md',
    holds: 'helm install',
    reason: 'a cluster and a database of somebody else; npm run test:engines -- kubernetes installs the chart',
  },
  { document: 'README.md', holds: 'db.example', reason: 'a database and a public address of somebody else' },
  { document: 'docs/guide/container-registry.md', holds: 'docker push', reason: "docker push needs Docker's engine" },
  {
    document: 'docs/guide/databases.md',
    holds: 'pg_dump --format=custom',
    reason: 'another database, and a pg_dump of the version of the embedded server, which few machines have',
  },
  {
    document: 'docs/guide/scanning.md',
    holds: 'advisories import',
    reason: "the archives are osv.dev's; import-advisories.test.ts imports such archives",
  },
  {
    document: 'docs/guide/calling-services.md',
    holds: '$PASSWORD',
    reason: 'the password is shown to people alone; access.test.ts uses it',
  },
];

/** Settings with a sign-in are refused where services share the machine's network. */
export const needsRoot: readonly About[] = [
  { document: 'docs/guide/calling-services.md', holds: 'basic-auth/rotations' },
  { document: 'docs/guide/calling-services.md', holds: 'access-tokens' },
];

const service = '/api/v1/apps/berth-planner/development/services/berth-planner';

const askAtTheEdge =
  (mode: string) =>
  async ({ call, settled }: ExamplePlace): Promise<void> => {
    const settings = JSON.stringify(await call('GET', `${service}/settings`));
    const key = '"externalTrafficAuthentication":';
    const { githubRepositoryName, active, spec } = JSON.parse(settings.replace(new RegExp(`${key}"\\w+"`), `${key}"${mode}"`)) as Record<
      string,
      unknown
    >;
    await call('PUT', service, { githubRepositoryName, active, spec });
    await settled();
  };

/** Prepares a block as the text around it asks. */
export const before: readonly (About & { readonly make: (place: ExamplePlace) => Promise<unknown> })[] = [
  {
    document: 'docs/guide/github.md',
    holds: 'git remote',
    make: ({ shell }) => shell('git init --quiet && git remote add origin http://127.0.0.1/git'),
  },
  {
    document: 'docs/guide/catalog.md',
    holds: '@applications.csv',
    make: ({ shell }) => shell("printf 'name,description\\nBuoy watch,Shows where the buoys of the harbor lie.\\n' > applications.csv"),
  },
  { document: 'docs/guide/calling-services.md', holds: 'basic-auth/rotations', make: askAtTheEdge('BASIC_AUTH') },
  { document: 'docs/guide/calling-services.md', holds: 'access-tokens', make: askAtTheEdge('AZURE_AUTH') },
  {
    document: 'docs/guide/container-registry.md',
    holds: 'skopeo copy',
    make: async ({ shell, port, call }) => {
      const { status } = (await call('GET', service)) as { status: { imageTag: string } };
      const image = `docker://localhost:${port}/berth-planner/berth-planner:${status.imageTag}`;
      await shell(`skopeo copy --src-tls-verify=false ${image} oci:my-image`);
    },
  },
];

/** Afterwards the next documents find what they expect. */
export const after: readonly (About & { readonly make: (place: ExamplePlace) => Promise<unknown> })[] = [
  { document: 'docs/guide/calling-services.md', holds: 'access-tokens', make: askAtTheEdge('NO_AUTH') },
];

/** Values to take from a block's JSON answer: the path, and the variable that the text gives the value. */
export const captured: readonly (About & { readonly variable: string; readonly path: readonly string[] })[] = [
  { document: 'docs/guide/api-and-tokens.md', holds: 'quickstart/applications', variable: 'PIPELINE', path: ['pipelineId'] },
  { document: 'docs/guide/api-and-tokens.md', holds: 'Release robot', variable: 'ACCOUNT', path: ['identity', 'id'] },
  { document: 'docs/guide/container-registry.md', holds: 'robot-accounts', variable: 'SECRET', path: ['secret'] },
];

export const concerns =
  ({ document, text }: { readonly document: string; readonly text: string }) =>
  (about: About): boolean =>
    about.document === document && text.includes(about.holds);
