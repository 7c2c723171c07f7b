/**
 * Drives the runtime: the replica that holds the lock makes what runs match what the rows want, level-triggered, and writes what the
 * engine reports. When the holder dies another replica takes the lock and starts everything again (decisions §10).
 */
import type { ChangeHint } from '@slipway/contract/platform.ts';
import { holdLock, type LockHolder } from '#db/advisory-lock.ts';
import type { DatabaseConfig, Db } from '#db/database.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import { listen, type Listener } from '#db/listen.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity } from '#modules/activity/index.ts';
import type { ResolvedSecrets, RevisionToResolve } from '#modules/secret-groups/index.ts';
import type { Log } from '#ports/log.ts';
import type { InstanceEvent, InstanceView, RevisionRef, Runtime, ServiceRef } from '#ports/runtime.ts';
import { HolderDuties, type DutyTimings } from './holder-duties.ts';
import { claimHolder, leaveHolder, markRouted } from './holder.sql.ts';
import { observedOf, writeBookmarks, writeEvent, writeObserved } from './observed.sql.ts';
import { wantedRevisions, wantedRoutes, type WantedRevision } from './wanted.sql.ts';

export interface ReconcilerOptions {
  readonly db: Db;
  readonly connection: DatabaseConfig;
  readonly runtime: Runtime;
  /** Opens what a revision pinned; throws SecretUnreadable. */
  readonly secrets: (revision: RevisionToResolve) => Promise<ResolvedSecrets>;
  /** The lock that the machine's replicas agree by; see `holdLock`. */
  readonly fence?: (() => DirectoryLock | undefined) | undefined;
  /** Names this replica in the activity log. */
  readonly replica: string;
  readonly log: Log;
  /** Tests shorten them. */
  readonly timings?: Partial<DutyTimings>;
}

/** A full pass even when nobody said anything. */
const passEveryMs = 5000;
/** Between tries to take the runtime while another holder dies, or its port is taken. */
const retakeMs = 1000;
/** What changes what is wanted. Most hints are a pipeline's progress, which does not. */
const concerning: ReadonlySet<string> = new Set(['app', 'service', 'revision']);

const refOf = (key: string): RevisionRef => {
  const [app = '', environment, service = '', revision = ''] = key.split('/');
  return { app, environment: environment as RevisionRef['environment'], service, revision };
};
const keyOf = (ref: RevisionRef): string => `${ref.app}/${ref.environment}/${ref.service}/${ref.revision}`;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #lock: LockHolder | undefined;
  #listener: Listener | undefined;
  #isStopping = false;
  /** The runtime is ours, and the database says so: what is wanted is made. */
  #isHolding = false;
  /** The runtime is ours. Without the database it goes on as it is. */
  #hasRuntime = false;
  #hasMissedEvents = false;
  /** Why the runtime could not be taken, while the lock is ours. */
  #obstacle: string | undefined;
  #isDirty = false;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #duties: HolderDuties;
  #stopListening: (() => void) | undefined;
  /** What was last written of a revision: only changes are written. */
  #written = new Map<string, string>();
  #ids = new Map<string, string>();
  /**
   * What the runtime was told of, and by which row: a discarded service's names are used again for other revisions. With the
   * secrets that it was told: all of a revision but its number of instances stays as it was.
   */
  #made = new Map<string, { readonly id: string; readonly secrets: ResolvedSecrets }>();
  /** Verbs under way, one at a time for each revision: a slow stop must not hold up the others. */
  #busy = new Set<string>();
  /** Those of them of which something else was wanted meanwhile. */
  #passedOver = new Set<string>();
  /** What the edge routes, so that the route of a service whose row is gone goes, too. */
  #routed = new Map<string, ServiceRef>();
  #changing: Promise<void> = Promise.resolve();
  #events: Promise<void> = Promise.resolve();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#duties = new HolderDuties(options);
  }

  async start(): Promise<void> {
    const { connection, fence, log } = this.#options;
    this.#listener = await listen(connection, CHANGE_CHANNEL, (payload) => this.#hear(payload), { onReconnect: () => this.#nudge(), log });
    this.#lock = holdLock(connection, 'slipway:runtime', {
      onAcquired: () => this.#switch(() => this.#take()),
      onInterrupted: () => this.#switch(async () => this.#pause()),
      onLost: () => this.#switch(() => this.#drop()),
      fence,
      log,
    });
  }

  /** Lets another replica take over: every instance of this holder stops, then the lock is free. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#listener?.stop();
    await this.#switch(() => this.#drop());
    await this.#lock?.stop();
  }

  isHolding(): boolean {
    return this.#isHolding;
  }

  /** Why no service is reached though it is this replica that should serve them. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** Taking and dropping never overlap. */
  #switch(work: () => Promise<void>): Promise<void> {
    this.#changing = this.#changing
      .then(work)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'The runtime could not change hands'));
    return this.#changing;
  }

  /** Tries for as long as the lock is ours: nobody else can take the runtime meanwhile. */
  async #take(): Promise<void> {
    if (this.#isStopping || this.#isHolding || !this.#lock?.isHeld()) return;
    try {
      await this.#takeOnce();
      this.#obstacle = undefined;
    } catch (error) {
      this.#obstacle = String(error);
      this.#options.log.warn({ err: error }, 'The runtime could not be taken over; trying again');
      setTimeout(() => void this.#switch(() => this.#take()), retakeMs).unref();
    }
  }

  async #takeOnce(): Promise<void> {
    const { runtime, db, replica } = this.#options;
    await runtime.acquire();
    const capabilities = await runtime.capabilities();
    const { wasTakenFrom } = await claimHolder(db, runtime.kind, replica, capabilities);
    if (wasTakenFrom) {
      await recordActivity(db, {
        type: 'runtimeTakeOver',
        reason: 'TakenOver',
        level: 'WARNING',
        message: `${replica} drives the runtime now; ${wasTakenFrom} is gone. Its services start again.`,
        actor: { id: 'platform', displayName: 'Slipway' },
        origin: 'platform',
        outcome: 'DONE',
      });
    }
    if (!this.#hasRuntime || this.#hasMissedEvents) await writeBookmarks(db, replica);
    if (!this.#hasRuntime) {
      this.#routed.clear();
      this.#made.clear();
      this.#stopListening = runtime.onEvent((event) => this.#onEvent(event));
    }
    this.#hasRuntime = true;
    this.#hasMissedEvents = false;
    this.#isHolding = true;
    this.#written.clear();
    this.#timer = setInterval(() => this.#nudge(), passEveryMs);
    this.#duties.start(capabilities);
    this.#nudge();
  }

  /** The database is away. What runs goes on, and the edge serves it; nothing new is wanted, since nobody can say so. */
  #pause(): void {
    this.#isHolding = false;
    this.#obstacle = undefined;
    clearInterval(this.#timer);
    this.#duties.stop();
  }

  async #drop(): Promise<void> {
    const hadRuntime = this.#hasRuntime;
    this.#hasRuntime = false;
    this.#pause();
    this.#stopListening?.();
    const { runtime, db, replica } = this.#options;
    // At once: another replica may have the lock already, and a pass may wait for a database that is away.
    await runtime.release();
    await this.#passing;
    if (!hadRuntime) return;
    await leaveHolder(db, runtime.kind, replica).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'The next holder of the runtime is not told that this one has left'),
    );
  }

  #hear(payload: string): void {
    const { kind } = JSON.parse(payload) as ChangeHint;
    if (concerning.has(kind)) this.#nudge();
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    if (!this.#isHolding) return;
    try {
      await work();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'The runtime could not be followed; trying again');
    }
  }

  /** Runs a pass, and one more when something was said meanwhile. */
  #nudge(): void {
    if (!this.#isHolding) return;
    this.#isDirty = true;
    this.#passing ??= this.#run().finally(() => {
      this.#passing = undefined;
      if (this.#isDirty) this.#nudge();
    });
  }

  async #run(): Promise<void> {
    while (this.#isDirty && this.#isHolding) {
      this.#isDirty = false;
      await this.#quietly(() => this.#pass());
    }
  }

  async #pass(): Promise<void> {
    const { runtime, db } = this.#options;
    const wanted = await wantedRevisions(db);
    for (const revision of wanted) this.#ids.set(keyOf(revision.spec), revision.id);
    const known = new Set(wanted.map(({ spec }) => keyOf(spec)));
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of this.#written.keys()) if (!ids.has(id)) this.#written.delete(id);
    const before = await runtime.list();
    for (const revision of wanted) this.#act(keyOf(revision.spec), () => this.#ensure(revision));
    // Left over from rows that are gone (a discarded app), or done with: enabled again, they are told of anew.
    const leftOver = [...before.map(keyOf), ...this.#made.keys()].filter((key) => !known.has(key));
    for (const key of new Set(leftOver)) this.#act(key, () => this.#forget(key));
    await this.#routes();
    await this.#observe(wanted, await runtime.list());
  }

  async #ensure(wanted: WantedRevision): Promise<void> {
    const { id, isDeleting, spec } = wanted;
    const key = keyOf(spec);
    const before = this.#made.get(key);
    if (isDeleting || (before !== undefined && before.id !== id)) await this.#forget(key);
    if (isDeleting) return;
    const known = this.#made.get(key);
    // What does not run and is not to needs no secrets, which may not be readable any more.
    if (!known && spec.replicas === 0) return this.#options.runtime.deleteRevision(refOf(key));
    const made = known ?? { id, secrets: await this.#open(wanted) };
    this.#made.set(key, made);
    await this.#options.runtime.ensureRevision({ ...spec, env: { ...spec.env, ...made.secrets.env }, files: made.secrets.files });
  }

  async #open(wanted: WantedRevision): Promise<ResolvedSecrets> {
    const { db, secrets } = this.#options;
    const { app, environment, revision } = wanted.spec;
    try {
      return await secrets({ app, environment, spec: wanted.settings, versions: wanted.secretVersions });
    } catch (error) {
      if (error instanceof Problem) {
        // The rollout that waits for the instances is told, and people who look at the revision.
        const event = { ...refOf(keyOf(wanted.spec)), instance: revision, at: new Date(), type: 'error' as const };
        await writeEvent(db, wanted.id, { ...event, reason: error.code, message: error.message });
      }
      throw error;
    }
  }

  async #forget(key: string): Promise<void> {
    await this.#options.runtime.deleteRevision(refOf(key));
    this.#made.delete(key);
    this.#ids.delete(key);
  }

  #act(key: string, verb: () => Promise<void>): void {
    if (this.#busy.has(key)) {
      this.#passedOver.add(key);
      return;
    }
    this.#busy.add(key);
    const startedAt = Date.now();
    void verb()
      .catch((error: unknown) => this.#options.log.warn({ err: error, revision: key }, 'The runtime refused; trying again'))
      .finally(() => {
        this.#busy.delete(key);
        // What was wanted meanwhile is looked at now; and what took a while has most likely changed something.
        if (this.#passedOver.delete(key) || Date.now() - startedAt > 50) this.#nudge();
      });
  }

  async #routes(): Promise<void> {
    const { runtime, db } = this.#options;
    const gone = new Map(this.#routed);
    this.#routed.clear();
    for (const { service, serviceId, route, serving, routed } of await wantedRoutes(db)) {
      const key = `${service.app}/${service.environment}/${service.service}`;
      await runtime.setRoute(service, route);
      gone.delete(key);
      if (route) this.#routed.set(key, service);
      if (serving.join() !== routed.join()) await markRouted(db, service, serviceId, serving);
    }
    for (const service of gone.values()) await runtime.setRoute(service, undefined);
  }

  async #observe(wanted: readonly WantedRevision[], views: readonly InstanceView[]): Promise<void> {
    const grouped = Map.groupBy(views, keyOf);
    for (const revision of wanted) {
      const key = keyOf(revision.spec);
      const instances = grouped.get(key) ?? [];
      const observed = observedOf(revision, instances);
      const print = JSON.stringify([revision.replicasWanted, revision.isDeleting, observed]);
      if (this.#written.get(revision.id) === print && revision.status === observed.status) continue;
      await writeObserved(this.#options.db, revision, observed);
      this.#written.set(revision.id, print);
    }
  }

  #onEvent(event: InstanceEvent): void {
    this.#hasMissedEvents ||= !this.#isHolding;
    this.#nudge();
    const id = this.#ids.get(keyOf(event));
    if (!id || event.type === 'bookmarked') return;
    // One after another: the newest event is the one that explains.
    this.#events = this.#events.then(() => this.#quietly(() => writeEvent(this.#options.db, id, event)));
  }
}
