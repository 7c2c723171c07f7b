/**
 * Scrapes the metrics endpoints of services, as configured (core §3, observability): every ready instance, on the one port that an instance
 * has on this engine (decisions §9). Runs on the replica that holds the runtime.
 */
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import type { Db } from '#db/database.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { UnreadableRows } from '#kernel/rows/unreadable.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { Runtime } from '#ports/runtime.ts';
import { ExpositionError, parseExposition, type InstanceFamilies } from './exposition.ts';
import { writeEvent } from './observed.sql.ts';
import { dropScrapes, scrapeTargets, writeScrape, type ScrapeTarget } from './scrape.sql.ts';

const TIMEOUT_MS = 2000;
const MAX_BYTES = 1024 * 1024;
const MAX_SERIES = 2000;
const SERVICES_AT_ONCE = 16;
/** Limit per service. */
const INSTANCES_AT_ONCE = 4;

type Asked = { readonly id: string; readonly revisionId: string } & ({ readonly families: InstanceFamilies } | { readonly error: string });

export interface ScraperOptions {
  readonly db: Db;
  readonly runtime: Runtime;
  readonly log: Log;
}

export class Scraper {
  readonly #options: ScraperOptions;
  /** Instances whose failure has been reported, and revisions of services that cannot be scraped at all. */
  #failing = new Set<string>();
  readonly #unreadable: UnreadableRows;

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#unreadable = new UnreadableRows(options.db, 'metrics', options.log);
  }

  /** Scrapes every enabled endpoint once. */
  async tick(): Promise<void> {
    const { db } = this.#options;
    const { values: targets, bad } = await scrapeTargets(db);
    await this.#unreadable.tell(bad);
    const known = new Set(targets.flatMap(({ instances }) => instances.flatMap(({ id, revision }) => [id, revision])));
    this.#failing = new Set([...this.#failing].filter((id) => known.has(id)));
    await mapLimited(targets, (target) => this.#scrape(target), SERVICES_AT_ONCE);
    await dropScrapes(db);
  }

  async #scrape(target: ScrapeTarget): Promise<void> {
    const { db, log } = this.#options;
    const at = new Date();
    const impossible = whyImpossible(target);
    const asked =
      impossible === undefined ? await mapLimited(target.instances, (instance) => this.#ask(target, instance), INSTANCES_AT_ONCE) : [];
    const answers = asked.filter((answer) => answer !== undefined);
    const errors = answers.flatMap((answer) => ('error' in answer ? [`${answer.id}: ${answer.error}`] : []));
    const error = impossible ?? errors[0] ?? (answers.length === 0 ? 'No instance is ready.' : null);
    const families = answers.flatMap((answer) => ('families' in answer ? [answer.families] : []));
    try {
      await writeScrape(db, target.serviceId, { at, isUp: error === null, error, families });
      for (const answer of answers) await this.#tell(answer.revisionId, answer.id, 'error' in answer ? answer.error : undefined);
      const [first] = target.instances;
      if (first) await this.#tell(first.revisionId, first.revision, impossible);
    } catch (cause) {
      log.warn({ err: cause, service: target.service }, 'what a metrics endpoint said was lost');
    }
  }

  /** Returns undefined for an instance that left meanwhile: a stopping instance that does not answer has not failed. */
  async #ask({ path }: ScrapeTarget, { id, revision, revisionId }: ScrapeTarget['instances'][number]): Promise<Asked | undefined> {
    const { log, runtime } = this.#options;
    try {
      const text = await runtime.scrape(id, { path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
      return { id, revisionId, families: { instance: id, revision, families: parseExposition(text, MAX_SERIES) } };
    } catch (error) {
      if (!(await runtime.list()).some((view) => view.id === id && view.state === 'READY')) return undefined;
      if (error instanceof PortFailure || error instanceof ExpositionError) return { id, revisionId, error: error.message };
      log.warn({ err: error, instance: id }, 'a metrics endpoint could not be asked');
      return { id, revisionId, error: 'it could not be asked' };
    }
  }

  /** Reports a failure once, until a scrape succeeds again. */
  async #tell(revisionId: string, instance: string, error: string | undefined): Promise<void> {
    const wasFailing = this.#failing.has(instance);
    if (error === undefined) this.#failing.delete(instance);
    else this.#failing.add(instance);
    if (error === undefined || wasFailing) return;
    const event = instanceEvent('MetricsScrapeFailed', { detail: error });
    await writeEvent(this.#options.db, revisionId, { instance, at: new Date(), type: 'warning', ...event });
  }
}

const whyImpossible = ({ exposedPort, port }: ScrapeTarget): string | undefined => {
  if (exposedPort === null) return 'The service exposes no port: there is none to ask for metrics.';
  if (port === null || port === exposedPort) return undefined;
  return `Port ${port} cannot be reached: the embedded runtime gives an instance one port, the exposed one. Leave the metrics port empty.`;
};
