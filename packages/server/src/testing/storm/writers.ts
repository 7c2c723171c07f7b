/** Who writes while the platform is killed: one kind of write each, chosen by the storm's random numbers. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commitFiles, git, runGit } from '@slipway/git/git-client.fixture.ts';
import { RegistryClient } from '#ports/registry.suite-client.ts';
import { robotAccountCreate, robotAccountDelete } from '@slipway/contract/registry/robot-account.ts';
import { meTokenCreate, meTokenDelete } from '@slipway/contract/identity.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { keyRotationCreate } from '@slipway/contract/keys.ts';
import { revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import { secretGroupCreate, secretGroupView, secretVersionCreate, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import {
  serviceRollback,
  serviceSettingsView,
  serviceUpdate,
  type ServiceSettingsView,
} from '@slipway/contract/service/service-operations.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { teamCreate, teamDelete } from '@slipway/contract/team.ts';
import { programToken } from '../program.ts';
import type { About, Entry } from './journal.ts';
import type { Random } from '#testing/storm/random.ts';
import type { StormClient } from './storm-client.ts';
import { environment, placeOf, subjectOf, type StormApp, type StormApps } from './storm-apps.ts';
import type { StormedStreaming } from './stormed-streaming.ts';

/** Tokens that the platform's own identity keeps at most: it may have fifty. */
const MOST_TOKENS = 20;
const MOST_ROBOTS = 5;
export const secretGroup = 'partner';
export const secretKey = 'MARK';

export class Writers {
  readonly #client: StormClient;
  readonly #apps: StormApps;
  readonly #streaming: StormedStreaming;
  readonly #random: Random;
  #count = 0;

  constructor(client: StormClient, apps: StormApps, streaming: StormedStreaming, random: Random) {
    this.#client = client;
    this.#apps = apps;
    this.#streaming = streaming;
    this.#random = random;
  }

  /** Weights: what takes the platform long comes seldom. */
  readonly #kinds: readonly (readonly [number, () => Promise<unknown>])[] = [
    [2, () => this.#team()],
    [4, () => this.#withService((app) => this.#settings(app))],
    [3, () => this.#withService((app) => this.#deploy(app))],
    [1, () => this.#withService((app) => this.#brokenDeploy(app))],
    [3, () => this.#withService((app) => this.#rollback(app))],
    [3, () => this.#withService((app) => this.#push(app))],
    [4, () => this.#withApp((app) => this.#secret(app))],
    [3, () => this.#withApp((app) => this.#image(app))],
    [2, () => this.#withApp((app) => this.#robot(app))],
    [2, () => this.#token()],
    [3, () => this.#streaming.topic()],
    [2, () => this.#streaming.rotation()],
    [1, () => this.#streaming.messages()],
    [1, () => this.#client.write('rotation', keyRotationCreate, {}, {})],
  ];

  /** One write of some kind, or none where there is nothing to write to. */
  async one(): Promise<void> {
    let at = this.#random.below(this.#kinds.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, write] of this.#kinds) {
      if (at < weight) return void (await write());
      at -= weight;
    }
  }

  async #withApp(write: (app: string) => Promise<unknown>): Promise<void> {
    const app = this.#random.of(this.#apps.live);
    if (app) await write(app.id);
  }

  /** For names and marks: none twice. */
  #number(): number {
    this.#count += 1;
    return this.#count;
  }

  /** Busy until the end of the round: nobody waits for a pipeline here. */
  async #withService(write: (app: string) => Promise<Entry | undefined>): Promise<void> {
    const app: StormApp | undefined = this.#random.of(this.#apps.live.filter(({ isBusy }) => !isBusy));
    if (!app) return;
    app.isBusy = true;
    const entry = await write(app.id);
    if (entry === undefined || entry.fate === 'unsent') app.isBusy = false;
  }

  async #send(kind: string, route: RouteShape, asked: { params?: object; body?: unknown }, about: About): Promise<Entry> {
    const params = { ...(about.app !== undefined && placeOf(about.app)), ...asked.params };
    return (await this.#client.write(kind, route, { ...asked, params }, about)).entry;
  }

  #acknowledged(kind: string, app?: string): Entry[] {
    return this.#client.journal.of(kind, 'acknowledged').filter((entry) => entry.app === app);
  }

  async #team(): Promise<void> {
    const gone = new Set(this.#client.journal.of('team.delete').map(({ name }) => name));
    const there = this.#acknowledged('team').filter(({ name }) => !gone.has(name) && name !== this.#apps.team);
    const old = there.length > 3 ? this.#random.of(there)?.name : undefined;
    const id = old ?? `${this.#client.platform.place.prefix}-team-${this.#number()}`;
    const about = { name: id, subject: `team:${id}` };
    if (old !== undefined) await this.#send('team.delete', teamDelete, { params: { team: id } }, { ...about, type: 'DeleteTeam' });
    else {
      const body = { id, displayName: id, ownerIds: ['platform-automation'] };
      await this.#send('team', teamCreate, { body }, { ...about, type: 'CreateTeam' });
    }
  }

  /** The spike arrest is a mark: no two changes set the same. */
  async #settings(app: string): Promise<Entry | undefined> {
    const seen = await this.#client.read<ServiceSettingsView>(serviceSettingsView, placeOf(app));
    if (!seen) return undefined;
    const { githubRepositoryName, active, settingsVersion } = seen;
    const spec = structuredClone(seen.spec);
    spec.externalTraffic.config.spikeArrestPerMinute = 100_000 + this.#number();
    const what = this.#random.below(3);
    if (what === 0) spec.resources.memoryMegabytes = 200 + this.#random.below(100);
    if (what === 1) spec.template.replicaScaling.count = 3 - spec.template.replicaScaling.count;
    const body = { githubRepositoryName, active, spec, settingsVersion };
    return this.#send('settings', serviceUpdate, { body }, { app, type: 'UpdateService', subject: subjectOf(app), settings: spec });
  }

  /** A revision whose image works: only such are made by a build. */
  async #revision(app: string): Promise<Revision | undefined> {
    const revisions = await this.#client.read<{ content: Revision[] }>(revisionList, placeOf(app));
    return this.#random.of(revisions?.content.filter(({ imageTag, isServing }) => !isServing && !imageTag.startsWith('storm-')) ?? []);
  }

  async #deploy(app: string): Promise<Entry | undefined> {
    const revisions = await this.#client.read<{ content: Revision[] }>(revisionList, placeOf(app));
    const imageTag = this.#random.of(revisions?.content.filter((revision) => !revision.imageTag.startsWith('storm-')) ?? [])?.imageTag;
    if (imageTag === undefined) return undefined;
    return this.#send('deploy', serviceDeploy, { body: { imageTag } }, { app, name: imageTag, type: 'Deploy', subject: subjectOf(app) });
  }

  /** Deploys an image that `#image` pushed. The image holds no program, so the pipeline fails and is undone. */
  async #brokenDeploy(app: string): Promise<Entry | undefined> {
    const imageTag = this.#random.of(this.#acknowledged('image', app))?.name;
    if (imageTag === undefined) return undefined;
    return this.#send(
      'deploy.broken',
      serviceDeploy,
      { body: { imageTag } },
      { app, name: imageTag, type: 'Deploy', subject: subjectOf(app) },
    );
  }

  async #rollback(app: string): Promise<Entry | undefined> {
    const revision = (await this.#revision(app))?.name;
    if (revision === undefined) return undefined;
    const about = { app, revision, type: 'Rollback', subject: subjectOf(app) };
    return this.#send('rollback', serviceRollback, { body: { revision, reason: 'The storm wants it' } }, about);
  }

  async #push(app: string): Promise<Entry | undefined> {
    const folder = join(this.#client.platform.place.workDir, 'clones', app);
    const remote = `${this.#client.platform.url.replace('http://', `http://storm:${programToken}@`)}/git/${app}/${app}.git`;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    if ((await runGit(folder, 'clone', '--quiet', remote, '.')).code !== 0) return undefined;
    const mark = String(this.#number());
    const commit = await commitFiles(folder, { 'storm.txt': `${mark}\n` }, `Storm ${mark}`);
    return this.#client.note('push', { app, name: commit }, async () => {
      await git(folder, 'push', '--quiet', 'origin', 'HEAD:main');
      return {};
    });
  }

  async #image(app: string): Promise<Entry> {
    const registry = new RegistryClient({ baseUrl: this.#client.platform.url }, { username: 'storm', secret: programToken });
    const name = `storm-${this.#number()}`;
    return this.#client.note('image', { app, name }, async () => {
      const content = randomBytes(1000 + this.#random.below(200_000)).toString('base64');
      return { reported: (await registry.pushImage(`${app}/${app}`, name, content)).digest };
    });
  }

  async #secret(app: string): Promise<Entry | undefined> {
    const params = { app, env: environment };
    const mark = `${app}-${this.#number()}`;
    const entries = [{ key: secretKey, value: mark }];
    const group = await this.#client.look(secretGroupView, { ...params, group: secretGroup });
    if (!group) return undefined;
    const about = { app, name: mark };
    const toldOf = (body: unknown): string => String((body as SecretGroup).version);
    const { entry } =
      group.status === 404
        ? await this.#client.write('secret.group', secretGroupCreate, { params, body: { name: secretGroup, entries } }, about, toldOf)
        : await this.#client.write(
            'secret.version',
            secretVersionCreate,
            { params: { ...params, group: secretGroup }, body: { basedOn: (group.body as SecretGroup).version, entries } },
            about,
            toldOf,
          );
    return entry;
  }

  async #robot(app: string): Promise<void> {
    const gone = new Set(this.#client.journal.of('robot.delete').map(({ app, name }) => `${app}/${name}`));
    const there = this.#acknowledged('robot', app).filter(({ name }) => !gone.has(`${app}/${name}`));
    const old = there.length >= MOST_ROBOTS ? this.#random.of(there)?.name : undefined;
    const name = old ?? `robot-${this.#number()}`;
    if (old !== undefined) await this.#send('robot.delete', robotAccountDelete, { params: { robot: name } }, { app, name });
    else await this.#send('robot', robotAccountCreate, { body: { name, permissions: ['pull'] } }, { app, name });
  }

  async #token(): Promise<void> {
    const gone = new Set(this.#client.journal.of('token.delete').map(({ name }) => name));
    const there = this.#acknowledged('token').filter(({ reported }) => !gone.has(reported));
    const old = there.length >= MOST_TOKENS ? this.#random.of(there)?.reported : undefined;
    if (old !== undefined) return void (await this.#send('token.delete', meTokenDelete, { params: { tokenId: old } }, { name: old }));
    const name = `${this.#client.platform.place.prefix}-token-${this.#number()}`;
    const toldOf = (body: unknown): string => (body as { id: string }).id;
    await this.#client.write('token', meTokenCreate, { body: { name, scopes: ['read'] } }, { name }, toldOf);
  }
}
