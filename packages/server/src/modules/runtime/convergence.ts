/**
 * Reconciles the runtime with the desired state in passes, and records what the engine reports. A pass sends only changes since the
 * last state that the runtime accepted. A full pass sends everything, to repair undetected drift.
 */
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import { UnreadableRows, type Unreadable } from '#kernel/rows/unreadable.ts';
import type { ResolvedSecrets } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { InstanceView, Runtime, RuntimeCapabilities, ServiceRef } from '#ports/runtime.ts';
import { Applied } from './applied.ts';
import { markRouted } from './leader.sql.ts';
import { markUnknown, observedOf, writeEvent, writeObserved } from './observed.sql.ts';
import { openSecrets, type SecretsOptions } from './open-secrets.ts';
import { keyOf, refOf } from './revision-key.ts';
import { VerbsInTurn, type Lane, type VerbsOptions } from './verbs-in-turn.ts';
import { refOfRow, settleIdle, wantedPages, wantedRoutes, type WantedRevision, type WantedRoute } from './wanted.sql.ts';

export interface ConvergenceOptions extends SecretsOptions, VerbsOptions {
  readonly runtime: Runtime;
  readonly log: Log;
}
export interface PassResult {
  /** Names of services that have a route but no ready instance. */
  readonly unserved: ReadonlySet<string>;
}
export interface Pass {
  readonly engine: Pick<RuntimeCapabilities, 'isNetworkIsolated'>;
  readonly isFull: boolean;
}

export class Convergence {
  readonly #options: ConvergenceOptions;
  readonly #verbs: VerbsInTurn;
  readonly #unreadable: UnreadableRows;
  /** Accepted state by key: a revision's key, a service's name for its route, and `ALL_ROUTES` for the complete list of routed services. */
  readonly #applied = new Applied();
  /** Last state written per revision, so that only changes are written. */
  readonly #written = new Map<string, string>();
  /**
   * Row id and secrets of each revision that this replica sent to the runtime, by key. The id tells revisions apart when they reuse the
   * names of a discarded service. The secrets stay the same, because only a revision's number of instances changes.
   */
  readonly #made = new Map<string, { readonly id: string; readonly secrets: ResolvedSecrets; readonly traceToken: string | undefined }>();

  constructor(options: ConvergenceOptions) {
    this.#options = options;
    this.#verbs = new VerbsInTurn(options);
    this.#unreadable = new UnreadableRows(options.db, 'runtime', options.log);
  }

  /** Forgets the runtime's state. With `isKept`, this replica kept the runtime running and still knows which revisions it sent. */
  begin({ isKept }: { readonly isKept: boolean }): void {
    this.#applied.forgetAll();
    this.#written.clear();
    if (!isKept) this.#made.clear();
  }

  async pass({ engine, isFull }: Pass): Promise<PassResult> {
    if (isFull) this.#applied.forgetAll();
    try {
      return await this.#pass(engine);
    } catch (error) {
      this.#applied.forgetAll();
      throw error;
    }
  }

  async #pass(engine: Pass['engine']): Promise<PassResult> {
    const { runtime, db, onChanged } = this.#options;
    const before = await runtime.list();
    const runs = Map.groupBy(before, ({ revisionId }) => revisionId);
    const running = [...runs.keys()];
    const bad: Unreadable[] = [];
    const known = new Set<string>();
    const ids = new Set<string>();
    for await (const page of wantedPages(db, running)) {
      for (const { spec, id } of page.values) {
        known.add(keyOf(spec));
        ids.add(id);
      }
      // Keep these revisions running unchanged: their desired state is unreadable.
      for (const { row } of page.bad) known.add(keyOf(refOfRow(row)));
      bad.push(...page.bad);
      const due = page.values.filter((revision) => !this.#isApplied(revision, runs.get(revision.id) ?? []));
      for (const revision of due) this.#verbs.act(keyOf(revision.spec), laneOf(revision), () => this.#ensure(revision));
      await this.#observe(page.values, due.length > 0 ? await runtime.list() : before);
    }
    for (const id of this.#written.keys()) if (!ids.has(id)) this.#written.delete(id);
    const routes = await wantedRoutes(db, engine);
    const services = [...routes.values, ...routes.bad.map(({ row }) => row)].map(({ service }) => service);
    this.#applied.keep(new Set([...known, ...services.map(nameOf), ALL_ROUTES]));
    bad.push(...routes.bad, ...(await this.#route(routes)));
    // Leftovers of deleted rows (a discarded app), or of finished revisions, which come back when they are enabled again. Their requests
    // already go elsewhere.
    const leftOver = new Set([...before.map(keyOf), ...this.#made.keys()].filter((key) => !known.has(key)));
    for (const key of leftOver) this.#verbs.act(key, 'stop', () => this.#forget(key));
    if (await settleIdle(db, running)) onChanged();
    await this.#tell(bad);
    return { unserved: unservedOf(routes.values, before) };
  }

  /** Reports unreadable rows to operators, and on the page of each revision. */
  async #tell(bad: readonly Unreadable[]): Promise<void> {
    for (const { id, kind, name, detail } of await this.#unreadable.tell(bad)) {
      if (kind !== 'revision') continue;
      const event = instanceEvent('SpecUnreadable', { detail });
      await writeEvent(this.#options.db, id, { instance: name.split('/').at(-1) ?? name, at: new Date(), type: 'error', ...event });
      await markUnknown(this.#options.db, id);
    }
  }

  /** Also checks the number of running instances, so that lost instances are sent again. */
  #isApplied(wanted: WantedRevision, views: readonly InstanceView[]): boolean {
    const { isDeleting, spec } = wanted;
    const staying = views.filter(({ state }) => state !== 'STOPPING' && state !== 'STOPPED');
    if (isDeleting || staying.length !== spec.replicas) return false;
    const key = keyOf(spec);
    return (spec.replicas === 0 && views.length === 0 && !this.#made.has(key)) || this.#applied.is(key, printOf(wanted));
  }

  async #ensure(wanted: WantedRevision): Promise<void> {
    const { id, isDeleting, spec } = wanted;
    const { runtime } = this.#options;
    const key = keyOf(spec);
    const before = this.#made.get(key);
    if (isDeleting || (before !== undefined && before.id !== id)) await this.#forget(key);
    if (isDeleting) return;
    const known = this.#made.get(key);
    // A revision that neither runs nor should run needs no secrets. They may no longer be readable.
    if (!known && spec.replicas === 0) return this.#send(wanted, () => runtime.deleteRevision(refOf(key)));
    const made = known ?? { id, secrets: await openSecrets(this.#options, wanted), traceToken: await this.#traceToken(wanted) };
    this.#made.set(key, made);
    const { env, files } = made.secrets;
    const traces = made.traceToken === undefined ? {} : { traceToken: made.traceToken };
    await this.#send(wanted, () => runtime.ensureRevision({ ...spec, env: { ...spec.env, ...env }, files, ...traces }));
  }

  /** Instances also start without the token, because a service matters more than its traces. */
  async #traceToken({ id, sendsTraces, spec }: WantedRevision): Promise<string | undefined> {
    if (!sendsTraces) return undefined;
    try {
      return await this.#options.traceToken?.(id);
    } catch (error) {
      this.#options.warn(error, { revision: keyOf(spec) }, 'A revision starts without a token for traces');
      return undefined;
    }
  }

  async #send(wanted: WantedRevision, verb: () => Promise<void>): Promise<void> {
    await this.#applied.send(keyOf(wanted.spec), printOf(wanted), verb);
  }

  async #forget(key: string): Promise<void> {
    await this.#applied.send(key, 'gone', () => this.#options.runtime.deleteRevision(refOf(key)));
    this.#made.delete(key);
  }

  /** Sends the routes to the edge. Returns the routes that the edge rejects. */
  async #route({ values, bad }: Awaited<ReturnType<typeof wantedRoutes>>): Promise<Unreadable[]> {
    const { runtime, db } = this.#options;
    // Services with unreadable rows keep their route.
    const served: ServiceRef[] = bad.map(({ row }) => row.service);
    const refused: Unreadable[] = [];
    for (const { service, serviceId, route, serving, routed } of values) {
      try {
        await this.#sendRoute(nameOf(service), [serviceId, route], () => runtime.setRoute(service, route));
        if (serving.join() !== routed.join()) await markRouted(db, service, serviceId, serving);
      } catch (error) {
        if (!isPortFailure(error, 'rejected')) throw error;
        refused.push({ id: serviceId, kind: 'service', name: nameOf(service), detail: error.message });
      }
      if (route) served.push(service);
    }
    await this.#sendRoute(ALL_ROUTES, served, () => runtime.routesComplete(served));
    return refused;
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
      try {
        await writeObserved(this.#options.db, revision, observed);
        this.#written.set(revision.id, print);
      } catch (error) {
        if (isDatabaseOutage(error)) throw error;
        this.#options.warn(
          error,
          { revision: keyOf(revision.spec) },
          'What the runtime says of a revision could not be written; trying again',
        );
      }
    }
  }
}

const ALL_ROUTES = '*';

const laneOf = ({ isDeleting, spec }: WantedRevision): Lane => (isDeleting || spec.replicas === 0 ? 'stop' : 'start');

/** Returns services that have a route but no ready instance. */
const unservedOf = (routes: readonly WantedRoute[], views: readonly InstanceView[]): ReadonlySet<string> => {
  const ready = new Set(views.filter(({ state }) => state === 'READY').map(keyOf));
  const isServed = ({ service, route }: WantedRoute): boolean =>
    !route || route.revisions.some((revision) => ready.has(keyOf({ ...service, revision })));
  return new Set(routes.filter((one) => !isServed(one)).map(({ service }) => nameOf(service)));
};

export const nameOf = ({ app, environment, service }: ServiceRef): string => `${app}/${environment}/${service}`;

/** Omits the secrets: a revision receives the secrets of its row once and keeps them. */
const printOf = ({ id, spec }: WantedRevision): string => JSON.stringify([id, spec]);
