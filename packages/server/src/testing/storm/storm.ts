/** The storm: rounds of writing, one kill -9 each, and the checks after it. Ends at the first round with a violation, and keeps its data. */
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { accountChecks, fsckChecks, hashChecks, imageChecks, ownerChecks, pushChecks, secretChecks } from './engine-checks.ts';
import { Journal } from './journal.ts';
import { killKinds, strike, type KillKind, type Recovery } from './kills.ts';
import { leftovers, remember } from './leftovers.ts';
import { manifestChecks } from './manifest-checks.ts';
import { randomOf, type Random } from '#testing/storm/random.ts';
import { activeWork, outcomes, pipelineChecks, serviceChecks, settingsChecks, type Checked } from './row-checks.ts';
import { makeReader, secretValueChecks } from './secret-values.ts';
import { StormApps } from './storm-apps.ts';
import { StormClient } from './storm-client.ts';
import { databaseRowChecks, StormedDatabase } from './stormed-database.ts';
import { StormedPlatform, until, type StormPlace } from './stormed-platform.ts';
import { messageChecks, streamingChecks } from './streaming-checks.ts';
import { StormedStreaming } from './stormed-streaming.ts';
import { Writers } from './writers.ts';

const LANES = 3;
const LIVE_APPS = 4;
const DEEP_EVERY = 10;
const QUIET_MS = 180_000;
const TRUE_MS = 60_000;
const GONE_MS = 10_000;

export interface StormOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly place: StormPlace;
  readonly say: (text: string) => void;
}
export interface KillRecord extends Omit<Recovery, 'complaints'> {
  readonly kind: KillKind;
  readonly acknowledged: number;
  readonly unanswered: number;
}
export interface StormResult {
  readonly rounds: number;
  readonly kills: readonly KillRecord[];
  readonly journal: Journal;
  /** How many pipelines ended how, and why. */
  readonly outcomes: readonly string[];
  readonly violations: readonly string[];
}

class Storm {
  readonly #options: StormOptions;
  readonly #random: Random;
  readonly #platform: StormedPlatform;
  readonly #journal: Journal;
  readonly #client: StormClient;
  readonly #apps: StormApps;
  readonly #streaming: StormedStreaming;
  readonly #database: StormedDatabase;
  readonly #writers: Writers;
  readonly #kills: KillRecord[] = [];
  /** Error that ended a lane. It is a fault of the storm itself. */
  #failure: Error | undefined;
  #reader = '';

  constructor(options: StormOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#platform = new StormedPlatform(options.place);
    this.#journal = new Journal(join(options.place.workDir, 'journal.jsonl'), options.place.prefix);
    this.#client = new StormClient(this.#platform, this.#journal);
    this.#apps = new StormApps(this.#client);
    this.#streaming = new StormedStreaming(this.#client, randomOf(options.seed + 2));
    this.#database = new StormedDatabase(this.#client, this.#streaming.app);
    this.#writers = new Writers(this.#client, this.#apps, this.#streaming, randomOf(options.seed + 1));
  }

  async run(): Promise<StormResult> {
    const { rounds, say } = this.#options;
    let violations: string[] = [];
    try {
      await this.#furnish();
      for (let round = 1; round <= rounds && violations.length === 0; round++) {
        this.#journal.round = round;
        const startedAt = Date.now();
        violations = await this.#round(killKinds[(round - 1) % killKinds.length] ?? 'server', round % DEEP_EVERY === 0 || round === rounds);
        const { kind, acknowledged, unanswered, readyMs, servedMs } = this.#kills.at(-1) as KillRecord;
        const seconds = (Date.now() - startedAt) / 1000;
        say(
          `round ${round}: ${kind}, ${acknowledged} acknowledged, ${unanswered} unanswered, ready ${readyMs} ms, served ${servedMs} ms, ${seconds.toFixed(1)} s`,
        );
      }
    } catch (error) {
      violations.push(`The storm broke off: ${error instanceof Error ? error.message : String(error)}`);
    }
    const ended = await outcomes({ platform: this.#platform, journal: this.#journal }).catch(() => []);
    await this.#platform.disconnect();
    await this.#platform.end('SIGINT').catch(() => undefined);
    return { rounds: this.#journal.round, kills: this.#kills, journal: this.#journal, outcomes: ended, violations };
  }

  async #furnish(): Promise<void> {
    await this.#platform.start();
    this.#client.open();
    await this.#apps.makeTeam();
    this.#reader = await makeReader(this.#client, this.#apps.team);
    await this.#streaming.furnish(this.#apps.team);
    await this.#database.furnish(this.#reader);
    await Promise.all([this.#apps.make(), this.#apps.make()]);
    await this.#client.close();
    const lanes = [this.#turnOver(), this.#produce(), this.#insert(), ...Array.from({ length: LANES }, () => this.#write())];
    for (const lane of lanes) lane.catch((error: Error) => (this.#failure = error));
  }

  /** Makes apps and takes the oldest down, as long as the storm lasts. */
  async #turnOver(): Promise<never> {
    for (;;) {
      await this.#client.opened();
      const { live } = this.#apps;
      const oldest = live.find(({ isBusy }) => !isBusy);
      if (live.length < LIVE_APPS) await this.#apps.make();
      else if (oldest) await this.#apps.takeDown(oldest);
      else await delay(100);
    }
  }

  async #produce(): Promise<never> {
    for (;;) {
      await this.#client.opened();
      await this.#streaming.messages();
      await delay(20);
    }
  }

  async #insert(): Promise<never> {
    for (;;) {
      await this.#client.opened();
      await this.#database.rows();
      await delay(20);
    }
  }

  async #write(): Promise<never> {
    for (;;) {
      await this.#client.opened();
      await this.#writers.one();
      await delay(50 + this.#random.below(200));
    }
  }

  async #round(kind: KillKind, isDeep: boolean): Promise<string[]> {
    const before = this.#journal.entries.length;
    this.#client.open();
    await delay(500 + this.#random.below(2000));
    const served = this.#apps.live.map(({ id }) => id);
    const isLive = new Set(served);
    const stillServed = (): string[] => this.#apps.live.map(({ id }) => id).filter((id) => isLive.has(id));
    const { complaints, ...recovery } = await strike(kind, this.#platform, this.#random, stillServed);
    await this.#client.close();
    const written = this.#journal.entries.slice(before);
    const count = (fate: string): number => written.filter((entry) => entry.fate === fate).length;
    const open = count('unanswered');
    await this.#client.repeat();
    this.#kills.push({ kind, ...recovery, acknowledged: count('acknowledged'), unanswered: open });
    const violations = [...complaints, ...(await this.#check(isDeep))];
    for (const app of this.#apps.live) app.isBusy = false;
    return violations;
  }

  /** Every condition gets time to come true; what is not true by then is a violation. */
  async #check(isDeep: boolean): Promise<string[]> {
    if (this.#failure) throw this.#failure;
    const checked: Checked = { platform: this.#platform, journal: this.#journal };
    if (this.#platform.hasEndedByItself) return [`The server ended by itself: ${this.#platform.program.output.slice(-2000)}`];
    // In this order: what a head that is built was built by has begun.
    const quiet = await until(async () => [...(await pushChecks(checked)), ...(await activeWork(checked))], QUIET_MS);
    if (quiet.length > 0) return quiet;
    const cheap = [pipelineChecks, serviceChecks, settingsChecks, ownerChecks, secretChecks, accountChecks, imageChecks, streamingChecks];
    const faults = await until(async () => (await Promise.all(cheap.map((check) => check(checked)))).flat(), TRUE_MS);
    const unserved = this.#apps.live.map(async ({ id }) => ({ id, status: await this.#platform.ask(id) }));
    const refused = (await Promise.all(unserved)).filter(({ status }) => status !== 200);
    faults.push(...refused.map(({ id, status }) => `${id} answers ${status}`), ...this.#client.complaints);
    return isDeep && faults.length === 0 ? this.#checkDeeply(checked) : faults;
  }

  /**
   * Runs the slow checks, then ends the platform in order and starts it again.
   * Nothing may be left on the machine between the end and the start.
   */
  async #checkDeeply(checked: Checked): Promise<string[]> {
    const faults = [
      ...(await fsckChecks(checked)),
      ...(await hashChecks(checked)),
      ...(await manifestChecks(checked)),
      ...(await messageChecks(checked)),
      ...(await databaseRowChecks(checked)),
      ...(await secretValueChecks(checked, this.#client, this.#reader)),
    ];
    const before = remember(this.#platform);
    await this.#platform.disconnect();
    await this.#platform.end('SIGINT');
    faults.push(...(await until(async () => leftovers(this.#platform, before), GONE_MS)));
    await this.#platform.start();
    return faults;
  }
}

export const storm = (options: StormOptions): Promise<StormResult> => new Storm(options).run();
