/** Reads and writes of the API at a steady rate, while the replicas that answer them are replaced. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pathOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { secretVersionCreate } from '@slipway/contract/secret/secret-group.ts';
import { programToken, type Program } from '../program.ts';

const EVERY_MS = 50;
const WRITE_PAUSE_MS = 200;

type Params = Readonly<Record<string, string>>;

/**
 * Behaves as a load balancer or a careful client: asks the replicas in turn, and asks the next one once if a replica closed the connection or
 * answers 503. A write is repeated with the same Idempotency-Key.
 */
export class ApiLoad {
  readonly failures: string[] = [];
  /** Values of the secret's versions, from the second version on. */
  readonly written: string[] = [];
  count = 0;
  repeats = 0;
  readonly #replicas: readonly Program[];
  readonly #reads: readonly string[];
  readonly #group: Params;
  readonly #under: Promise<unknown>[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #writing: Promise<void>;
  #isOver = false;

  /** `replicas` may change while the load lasts. */
  constructor(replicas: readonly Program[], reads: readonly RouteShape[], group: Params) {
    this.#replicas = replicas;
    this.#reads = reads.map((route) => pathOf(route, group));
    this.#group = group;
    this.#timer = setInterval(() => this.#under.push(this.#send('GET', this.#reads[this.count % this.#reads.length] ?? '')), EVERY_MS);
    this.#writing = this.#write();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isOver = true;
    await Promise.all([this.#writing, ...this.#under]);
  }

  async #write(): Promise<void> {
    const path = pathOf(secretVersionCreate, this.#group);
    while (!this.#isOver) {
      const value = `value ${this.written.length}`;
      const body = { basedOn: this.written.length + 1, entries: [{ key: 'VALUE', value }] };
      if (await this.#send('POST', path, body)) this.written.push(value);
      await delay(WRITE_PAUSE_MS);
    }
  }

  async #send(method: string, path: string, body?: object): Promise<boolean> {
    const key = body && { 'idempotency-key': randomUUID(), 'content-type': 'application/json' };
    const init = { method, headers: { authorization: `Bearer ${programToken}`, ...key }, ...(body && { body: JSON.stringify(body) }) };
    const turn = this.count++;
    const first = await ask(this.#replicas[turn % this.#replicas.length], path, init);
    if (first === 'ok') return true;
    const mayRepeat = first.status === 0 || first.status === 503;
    if (mayRepeat) this.repeats += 1;
    const last = mayRepeat ? await ask(this.#replicas[(turn + 1) % this.#replicas.length], path, init) : first;
    if (last === 'ok') return true;
    this.failures.push(`${method} ${path}: ${first.text}, then ${last.text}`);
    return false;
  }
}

/** Status 0 is a connection without an answer. */
const ask = async (replica: Program | undefined, path: string, init: RequestInit): Promise<'ok' | { status: number; text: string }> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${replica?.port}${path}`, init);
    const text = await answer.text();
    return answer.ok ? 'ok' : { status: answer.status, text: `${answer.status} ${text}` };
  } catch (error) {
    return { status: 0, text: error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error) };
  }
};
