/** Sends writes and notes their fate; waits while the gate is closed, or while nobody listens. */
import { setTimeout as delay } from 'node:timers/promises';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { pathOf, queryString, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { programToken } from '../program.ts';
import type { About, Entry, Fate, Journal } from './journal.ts';
import type { StormedPlatform } from './stormed-platform.ts';

const ANSWER_MS = 30_000;
const RETRY_MS = 50;
/** Until the platform, which is ready again, has answered every repeat. */
const REPEAT_MS = 60_000;

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
interface Answer {
  readonly status: number;
  readonly body: unknown;
}
interface Sent {
  readonly entry: Entry;
  readonly route: RouteShape;
  readonly asked: Asked;
  readonly toldOf: (body: unknown) => string | undefined;
}

/** Whether nobody took the connection: then nothing was sent. */
const isUnsent = (error: unknown): boolean =>
  (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED' || /Failed to connect|Connection refused/.test(String(error));
const fateOf = (status: number): Fate => {
  if (status < 300) return 'acknowledged';
  return status >= 500 ? 'unanswered' : 'refused';
};

export class StormClient {
  readonly platform: StormedPlatform;
  readonly journal: Journal;
  /** Faults that no kill excuses: an answer of 500, or a request that a living server leaves without an answer. */
  readonly complaints: string[] = [];
  #gate = Promise.withResolvers<void>();
  #isOpen = false;
  #underWay = 0;
  /** Writes that got no answer and may be sent again. */
  #open: Sent[] = [];

  constructor(platform: StormedPlatform, journal: Journal) {
    this.platform = platform;
    this.journal = journal;
  }

  /** Resolves while writers may write. */
  opened(): Promise<void> {
    return this.#gate.promise;
  }

  open(): void {
    this.#isOpen = true;
    this.#gate.resolve();
  }

  /** Resolves when everything that was sent has its fate. */
  async close(): Promise<void> {
    if (this.#isOpen) this.#gate = Promise.withResolvers();
    this.#isOpen = false;
    while (this.#underWay > 0) await delay(10);
  }

  /** Something that is sent in another way than by the API: git, images. `work` answers what the journal is to know. */
  async note(kind: string, about: About, work: () => Promise<Pick<Entry, 'reported'>>): Promise<Entry> {
    await this.#gate.promise;
    this.#underWay += 1;
    const entry = this.journal.send(kind, about);
    try {
      this.journal.settle(entry, 'acknowledged', await work());
    } catch (error) {
      this.journal.settle(entry, isUnsent(error) ? 'unsent' : 'unanswered', { reported: String(error).slice(0, 200) });
      await delay(RETRY_MS);
    } finally {
      this.#underWay -= 1;
    }
    return entry;
  }

  /** `toldOf`: what of an answer the journal is to know beside the pipeline. */
  async write(
    kind: string,
    route: RouteShape,
    asked: Asked,
    about: About,
    toldOf: Sent['toldOf'] = () => undefined,
  ): Promise<{ entry: Entry; body: unknown }> {
    await this.#gate.promise;
    this.#underWay += 1;
    const entry = this.journal.send(kind, about);
    const { life } = this.platform;
    try {
      const { status, body } = await this.#call(route, asked, entry.key);
      if (status === 500) this.complaints.push(`${kind} was answered 500: ${JSON.stringify(body)}`);
      if (status > 500) await delay(RETRY_MS * 4);
      this.#settle({ entry, route, asked, toldOf }, { status, body });
      return { entry, body: status < 300 ? body : undefined };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError' && life === this.platform.life)
        this.complaints.push(`${kind} (journal ${entry.id}) got no answer within ${ANSWER_MS / 1000} s from a server that lives`);
      this.journal.settle(entry, isUnsent(error) ? 'unsent' : 'unanswered');
      this.#keep({ entry, route, asked, toldOf });
      await delay(RETRY_MS);
      return { entry, body: undefined };
    } finally {
      this.#underWay -= 1;
    }
  }

  #settle(sent: Sent, { status, body }: Answer, isRepeated = false): void {
    const { entry, toldOf } = sent;
    const { pipelineId } = (body ?? {}) as { pipelineId?: string };
    const reported = status < 300 ? toldOf(body) : JSON.stringify(body).slice(0, 300);
    this.journal.settle(entry, fateOf(status), {
      status,
      ...(pipelineId && { pipelineId }),
      ...(reported && { reported }),
      ...(isRepeated && { isRepeated }),
    });
    this.#keep(sent);
  }

  /** A route that carries secrets takes no notice of keys: its repeat is another request. */
  #keep(sent: Sent): void {
    if (sent.entry.fate === 'unanswered' && sent.route.isSecret !== true) this.#open.push(sent);
  }

  /**
   * Sends everything again that got no answer, with its key, as an honest client does. Whether it was done before or not, it is done once
   * now: what is acknowledged has one effect, and what is refused has none. Called while the gate is closed.
   */
  async repeat(): Promise<void> {
    const until = Date.now() + REPEAT_MS;
    while (this.#open.length > 0 && Date.now() < until) {
      const again = this.#open;
      this.#open = [];
      for (const sent of again) {
        const answer = await this.#call(sent.route, sent.asked, sent.entry.key).catch(() => undefined);
        if (answer?.status === 500)
          this.complaints.push(`The repeat of ${sent.entry.kind} was answered 500: ${JSON.stringify(answer.body)}`);
        if (!answer) this.#keep(sent);
        else if (!this.#isGone(sent, answer)) this.#settle(sent, answer, true);
      }
      if (this.#open.length > 0) await delay(RETRY_MS);
    }
    for (const { entry } of this.#open) this.complaints.push(`The repeat of ${entry.kind} (journal ${entry.id}) is not answered`);
    this.#open = [];
  }

  /** True if the app was deleted after the write. Then the repeat does not tell whether the write was done, and it stays unanswered. */
  #isGone({ entry }: Sent, { status }: Answer): boolean {
    const deleted = this.journal.of('app.delete', 'acknowledged');
    return status === 404 && deleted.some(({ app, id }) => app === entry.app && id > entry.id);
  }

  /** Undefined where nobody answers now. */
  async look(route: RouteShape, params: Readonly<Record<string, string>>, query = {}): Promise<Answer | undefined> {
    const answer = await this.#call(route, { params, query }).catch(() => undefined);
    return answer && answer.status < 500 ? answer : undefined;
  }

  /** Undefined where it cannot be read now. */
  async read<Body>(route: RouteShape, params: Readonly<Record<string, string>>, query = {}): Promise<Body | undefined> {
    const answer = await this.look(route, params, query);
    if (answer?.status !== 200) await delay(RETRY_MS);
    return answer?.status === 200 ? (answer.body as Body) : undefined;
  }

  /** Waits for a pipeline's end, through any outage. Undefined where there is none to wait for. */
  async ended({ pipelineId }: Entry): Promise<PipelineRun['status']['state'] | undefined> {
    while (pipelineId !== undefined) {
      const run = await this.read<PipelineRun>(pipelineView, { pipelineId });
      if (run && !isActive(run.status.state)) return run.status.state;
      await delay(RETRY_MS);
    }
    return undefined;
  }

  async #call(route: RouteShape, { params, query, body }: Asked, key?: string, token = programToken): Promise<Answer> {
    const answer = await fetch(`${this.platform.url}${pathOf(route, params)}${queryString(query)}`, {
      method: route.method,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        authorization: `Bearer ${token}`,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  /** For checks, as somebody else. */
  call(route: RouteShape, asked: Asked, token: string): Promise<Answer> {
    return this.#call(route, asked, undefined, token);
  }
}
