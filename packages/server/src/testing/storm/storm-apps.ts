/** The apps of a storm: made by quickstart, few at a time, and taken down again to nothing, each step a write of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { applicationDelete, applicationView, type Application } from '@slipway/contract/application.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionDelete, revisionList, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceActivation, serviceDelete, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import type { Entry } from './journal.ts';
import type { StormClient } from './storm-client.ts';

const POLL_MS = 100;

export interface StormApp {
  readonly id: string;
  /** `live`: its service serves, and writers may change it. */
  state: 'making' | 'live' | 'ending' | 'gone';
  /** A pipeline of its service is under way, as far as is known: another would be refused. */
  isBusy: boolean;
}
export const environment = 'development';
/** The one service of an app that a quickstart made. */
export const placeOf = (app: string) => ({ app, env: environment, service: app });
export const subjectOf = (app: string): string => `service:${app}/${environment}/${app}`;

export class StormApps {
  readonly all: StormApp[] = [];
  readonly team: string;
  readonly #client: StormClient;

  constructor(client: StormClient) {
    this.#client = client;
    this.team = `${client.platform.place.prefix}-home`;
  }

  get live(): StormApp[] {
    return this.all.filter(({ state }) => state === 'live');
  }

  /** The team that they all belong to. Called before any kill. */
  async makeTeam(): Promise<void> {
    const { team: id } = this;
    const body = { id, displayName: 'Home', ownerIds: ['platform-automation'] };
    const { entry } = await this.#client.write(
      'team',
      teamCreate,
      { body },
      { team: id, name: id, type: 'CreateTeam', subject: `team:${id}` },
    );
    if ((await this.#client.ended(entry)) !== 'COMPLETED') throw new Error('The team could not be made');
  }

  /** Answers when it serves, or was found not to be. */
  async make(): Promise<void> {
    const id = `${this.#client.platform.place.prefix}-${this.all.length + 1}`;
    const app: StormApp = { id, state: 'making', isBusy: true };
    this.all.push(app);
    const body = { id, teamId: this.team, template: 'node-http-api' };
    const about = { app: id, type: 'QuickstartApplication', subject: `app:${id}` };
    const { entry } = await this.#client.write('quickstart', quickstartApplicationCreate, { body }, about);
    if (entry.fate === 'unsent') return void (app.state = 'gone');
    await this.#client.ended(entry);
    // One that was not answered may be there all the same; what is half made goes again.
    const found = await this.#settled(id);
    app.isBusy = false;
    if (found === undefined) app.state = 'gone';
    else if (found === 'ACTIVE') app.state = 'live';
    else await this.takeDown(app);
  }

  /** The state that it comes to rest in; undefined: there is none. */
  async #settled(id: string): Promise<Application['state'] | undefined> {
    for (;;) {
      const answer = await this.#client.look(applicationView, { app: id });
      if (answer?.status === 404) return undefined;
      const state = (answer?.body as Application | undefined)?.state;
      if (answer?.status === 200 && state !== undefined && state !== 'CREATING') return state;
      await delay(POLL_MS);
    }
  }

  /** Removes an app. Chooses each step by what still exists, so the removal continues wherever a kill interrupted it. */
  async takeDown(app: StormApp): Promise<void> {
    app.state = 'ending';
    for (;;) {
      const found = await this.#client.look(applicationView, { app: app.id });
      if (found?.status === 404) break;
      const step = found?.status === 200 ? await this.#nextStep(app.id, found.body as Application) : undefined;
      if (step) await this.#client.ended(step);
      else await delay(POLL_MS);
    }
    app.state = 'gone';
  }

  async #nextStep(app: string, { state }: Application): Promise<Entry | undefined> {
    const params = placeOf(app);
    const service = await this.#client.look(serviceView, params);
    if (service === undefined) return undefined;
    if (state === 'NOT_CREATED' || service.status === 404) return this.#remove(app);
    const subject = subjectOf(app);
    const write = async (kind: string, ...[route, asked, about]: [Parameters<StormClient['write']>[1], object, object]) =>
      (await this.#client.write(kind, route, { params, ...asked }, { app, subject, ...about })).entry;
    const { active, state: serviceState } = service.body as Service;
    if (active && serviceState === 'ACTIVE')
      return write('deactivate', serviceActivation, { body: { active: false } }, { type: 'ServiceActivation' });
    const revisions = await this.#client.read<{ content: Revision[] }>(revisionList, params, { size: 100 });
    const next = revisions?.content.find(({ status }) => status !== 'DELETED');
    if (!revisions) return undefined;
    if (next && serviceState === 'ACTIVE')
      return write(
        'revision.delete',
        revisionDelete,
        { params: { ...params, revision: next.name } },
        { type: 'DeleteRevision', name: next.name },
      );
    return write('service.delete', serviceDelete, {}, { type: 'DeleteService' });
  }

  async #remove(app: string): Promise<Entry> {
    const about = { app, type: 'DeleteApplication', subject: `app:${app}` };
    return (await this.#client.write('app.delete', applicationDelete, { params: { app } }, about)).entry;
  }
}
