/**
 * Makes what runs match what the rows want, one pass after another, and writes what the engine reports. A pass sends what differs from
 * what the runtime took last; a full one sends everything, for whatever has come apart unseen.
 */
import type { ResolvedSecrets } from '#modules/secret-groups/index.ts';
import type { InstanceView, Runtime, RuntimeCapabilities, ServiceRef } from '#ports/runtime.ts';
import { Applied } from './applied.ts';
import { markRouted } from './leader.sql.ts';
import { observedOf, writeObserved } from './observed.sql.ts';
import { openSecrets, type SecretsOptions } from './open-secrets.ts';
import { keyOf, refOf } from './revision-key.ts';
import { VerbsInTurn, type VerbsOptions } from './verbs-in-turn.ts';
import { wantedRevisions, wantedRoutes, type WantedRevision, type WantedRoute } from './wanted.sql.ts';

export interface ConvergenceOptions extends SecretsOptions, VerbsOptions {
  readonly runtime: Runtime;
}
export interface Pass {
  readonly engine: Pick<RuntimeCapabilities, 'isNetworkIsolated'>;
  readonly isFull: boolean;
}

export class Convergence {
  readonly #options: ConvergenceOptions;
  readonly #verbs: VerbsInTurn;
  /** By the names of a revision, by those of a service its route, and by `ALL_ROUTES` that there are no others. */
  readonly #applied = new Applied();
  /** What was last written of a revision: only changes are written. */
  readonly #written = new Map<string, string>();
  /**
   * What this replica gave the runtime, and by which row: a discarded service's names are used again for other revisions. With
   * the secrets that it was given: all of a revision but its number of instances stays as it was.
   */
  readonly #made = new Map<string, { readonly id: string; readonly secrets: ResolvedSecrets }>();

  constructor(options: ConvergenceOptions) {
    this.#options = options;
    this.#verbs = new VerbsInTurn(options);
  }

  /** Nothing is known of what the runtime has; `isKept` where this replica kept it running, and its earlier rows say what it gave. */
  begin({ isKept }: { readonly isKept: boolean }): void {
    this.#applied.forgetAll();
    this.#written.clear();
    if (!isKept) this.#made.clear();
  }

  async pass({ engine, isFull }: Pass): Promise<void> {
    if (isFull) this.#applied.forgetAll();
    try {
      await this.#pass(engine);
    } catch (error) {
      this.#applied.forgetAll();
      throw error;
    }
  }

  async #pass(engine: Pass['engine']): Promise<void> {
    const { runtime, db } = this.#options;
    const wanted = await wantedRevisions(db);
    const routes = await wantedRoutes(db, engine);
    const known = new Set(wanted.map(({ spec }) => keyOf(spec)));
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of this.#written.keys()) if (!ids.has(id)) this.#written.delete(id);
    this.#applied.keep(new Set([...known, ...routes.map(({ service }) => nameOf(service)), ALL_ROUTES]));
    const before = await runtime.list();
    const runs = Map.groupBy(before, ({ revisionId }) => revisionId);
    const due = wanted.filter((revision) => !this.#isApplied(revision, runs.get(revision.id) ?? []));
    for (const revision of due) this.#verbs.act(keyOf(revision.spec), () => this.#ensure(revision));
    await this.#route(routes);
    // Left over from rows that are gone (a discarded app), or done with: enabled again, they come back. Their requests have
    // gone elsewhere by now.
    const leftOver = new Set([...before.map(keyOf), ...this.#made.keys()].filter((key) => !known.has(key)));
    for (const key of leftOver) this.#verbs.act(key, () => this.#forget(key));
    await this.#observe(wanted, due.length + leftOver.size > 0 ? await runtime.list() : before);
  }

  /** Also that it runs as many instances: what the runtime was given and has lost is given again. */
  #isApplied(wanted: WantedRevision, views: readonly InstanceView[]): boolean {
    const { isDeleting, spec } = wanted;
    const staying = views.filter(({ state }) => state !== 'STOPPING' && state !== 'STOPPED');
    return !isDeleting && staying.length === spec.replicas && this.#applied.is(keyOf(spec), printOf(wanted));
  }

  async #ensure(wanted: WantedRevision): Promise<void> {
    const { id, isDeleting, spec } = wanted;
    const { runtime } = this.#options;
    const key = keyOf(spec);
    const before = this.#made.get(key);
    if (isDeleting || (before !== undefined && before.id !== id)) await this.#forget(key);
    if (isDeleting) return;
    const known = this.#made.get(key);
    // What does not run and is not to needs no secrets, which may not be readable any more.
    if (!known && spec.replicas === 0) return this.#send(wanted, () => runtime.deleteRevision(refOf(key)));
    const made = known ?? { id, secrets: await openSecrets(this.#options, wanted) };
    this.#made.set(key, made);
    const { env, files } = made.secrets;
    await this.#send(wanted, () => runtime.ensureRevision({ ...spec, env: { ...spec.env, ...env }, files }));
  }

  async #send(wanted: WantedRevision, verb: () => Promise<void>): Promise<void> {
    await this.#applied.send(keyOf(wanted.spec), printOf(wanted), verb);
  }

  async #forget(key: string): Promise<void> {
    await this.#applied.send(key, 'gone', () => this.#options.runtime.deleteRevision(refOf(key)));
    this.#made.delete(key);
  }

  async #route(routes: readonly WantedRoute[]): Promise<void> {
    const { runtime, db } = this.#options;
    const served: ServiceRef[] = [];
    for (const { service, serviceId, route, serving, routed } of routes) {
      await this.#sendRoute(nameOf(service), [serviceId, route], () => runtime.setRoute(service, route));
      if (route) served.push(service);
      if (serving.join() !== routed.join()) await markRouted(db, service, serviceId, serving);
    }
    await this.#sendRoute(ALL_ROUTES, served, () => runtime.routesComplete(served));
  }

  async #sendRoute(key: string, sent: unknown, verb: () => Promise<void>): Promise<void> {
    const print = JSON.stringify(sent);
    if (!this.#applied.is(key, print)) await this.#applied.send(key, print, verb);
  }

  async #observe(wanted: readonly WantedRevision[], views: readonly InstanceView[]): Promise<void> {
    const grouped = Map.groupBy(views, ({ revisionId }) => revisionId);
    for (const revision of wanted) {
      const instances = grouped.get(revision.id) ?? [];
      const observed = observedOf(revision, instances);
      const print = JSON.stringify([revision.replicasWanted, revision.isDeleting, observed]);
      if (this.#written.get(revision.id) === print && revision.status === observed.status) continue;
      await writeObserved(this.#options.db, revision, observed);
      this.#written.set(revision.id, print);
    }
  }
}

const ALL_ROUTES = '*';

const nameOf = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;

/** Secrets are not in it: a revision is given those of its row once, and they stay. */
const printOf = ({ id, spec }: WantedRevision): string => JSON.stringify([id, spec]);
