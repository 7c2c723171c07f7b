/**
 * The embedded runtime as a server sees it. Everything runs in the node agent except log reading, since both processes can read the log
 * files.
 */
import type { Log } from '@slipway/foundation/ports/log.ts';
import type {
  Acquired,
  EdgeStats,
  InstanceEvent,
  InstanceStats,
  InstanceView,
  LogLine,
  RevisionRef,
  RevisionSpec,
  Runtime,
  RuntimeCapabilities,
  ServiceRef,
  ServiceRoute,
} from '@slipway/foundation/ports/runtime.ts';
import { logDirectory } from '../log/log-files.ts';
import { readLogs, type LogOptions } from '../log/log-reader.ts';
import type { ScrapeOptions } from '../scrape.ts';
import { serviceAddress } from '../../edge/service-names.ts';
import { AgentLink, type LinkTimings } from './agent-link.ts';
import type { AgentProcess } from './agent-process.ts';
import { readEdgeStats, readView } from './wire.ts';

export interface AgentRuntimeOptions {
  /** Same values as in the agent's configuration. */
  readonly dataDir: string;
  readonly ingressPort: number;
  readonly agent: AgentProcess;
  readonly log: Log;
  readonly timings?: Partial<LinkTimings>;
}

export class AgentRuntime implements Runtime {
  readonly kind = 'local';
  readonly #options: AgentRuntimeOptions;
  readonly #link: AgentLink;
  readonly #eventListeners = new Set<(event: InstanceEvent) => void>();
  readonly #lostListeners = new Set<() => void>();
  /** The agent has stopped everything and is exiting. */
  #isEnding = false;

  constructor(options: AgentRuntimeOptions) {
    this.#options = options;
    const { agent, log, timings } = options;
    this.#link = new AgentLink({
      socket: agent.socket,
      config: () => agent.config,
      onEvent: (event) => this.#tell(this.#eventListeners, event),
      onLost: () => {
        log.error({}, 'The node agent has ended, and with it all instances and the edge: it starts again');
        this.#tell(this.#lostListeners, undefined);
      },
      onMissing: () => agent.ensure(),
      onUnusable: () => agent.replace(),
      onHung: () => {
        log.error({}, 'The node agent has stood still for too long: it is ended, and starts again');
        agent.kill();
      },
      ...(timings && { timings }),
    });
  }

  async capabilities(): Promise<RuntimeCapabilities> {
    const capabilities = await this.#link.call('capabilities');
    return { ...capabilities, warning: capabilities.warning };
  }

  async acquire(): Promise<Acquired> {
    this.#isEnding = false;
    this.#options.agent.follow();
    return this.#link.call('acquire');
  }

  async release(): Promise<void> {
    if (!this.#link.isFollowing) return;
    const { agent, log } = this.#options;
    this.#isEnding = true;
    try {
      // Without an agent nothing runs that could be stopped.
      if (!this.#link.isAway) await this.#link.call('release');
    } catch (error) {
      log.warn({ err: error }, 'The node agent could not stop what it runs: it is ended, and everything with it');
      agent.kill();
    }
    await this.leave();
  }

  async leave(): Promise<void> {
    await this.#link.unfollow();
    this.#options.agent.unfollow();
  }

  async ensureRevision(spec: RevisionSpec): Promise<void> {
    await this.#link.call('ensureRevision', spec);
  }

  async deleteRevision(ref: RevisionRef): Promise<void> {
    await this.#link.call('deleteRevision', ref);
  }

  async setRoute(service: ServiceRef, route: ServiceRoute | undefined): Promise<void> {
    await this.#link.call('setRoute', service, route);
  }

  async routesComplete(served: readonly ServiceRef[]): Promise<void> {
    await this.#link.call('routesComplete', served);
  }

  url(service: ServiceRef, basePath: string): string {
    return serviceAddress(service, this.#options.ingressPort, basePath);
  }

  async list(): Promise<readonly InstanceView[]> {
    return (await this.#link.call('list')).map(readView);
  }

  onEvent(listener: (event: InstanceEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  onLost(listener: () => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  async stats(): Promise<readonly InstanceStats[]> {
    return this.#link.call('stats');
  }

  async edgeStats(seconds?: number): Promise<readonly EdgeStats[]> {
    return (await this.#link.call('edgeStats', seconds)).map(readEdgeStats);
  }

  async scrape(instance: string, options: ScrapeOptions): Promise<string> {
    return this.#link.call('scrape', instance, options);
  }

  logs(ref: RevisionRef, options: LogOptions): AsyncIterable<LogLine> {
    return readLogs(logDirectory(this.#options.dataDir, ref), options);
  }

  /** Ends the agent too, unless it was left to other servers before. */
  async close(): Promise<void> {
    await this.release();
    this.#eventListeners.clear();
    this.#lostListeners.clear();
    await this.#link.close();
    if (this.#isEnding) await this.#options.agent.ended();
    this.#options.agent.close();
  }

  #tell<Value>(listeners: ReadonlySet<(value: Value) => void>, value: Value): void {
    for (const listener of listeners) {
      try {
        listener(value);
      } catch (error) {
        this.#options.log.error({ err: error }, 'a listener to the node agent failed');
      }
    }
  }
}
