/** Live changes: one database listener per replica, fanned out to connected browsers with access. */
import { PassThrough } from 'node:stream';
import { hintOf, type ChangeHint } from '@slipway/contract/hint.ts';
import type { Access } from '@slipway/contract/kernel/kernel.ts';
import { kindOf } from '@slipway/contract/kinds.ts';
import { noticeKind } from '@slipway/contract/kinds/notification.kind.ts';
import { accessRule } from '@slipway/contract/kernel/rights.ts';
import { teamKind } from '@slipway/contract/kinds/team.kind.ts';
import type { DatabaseConfig } from '#db/database.ts';
import { listen, type Listener } from '#db/listen.ts';
import { CHANGE_CHANNEL, CREDENTIALS_CHANGED } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Log } from '#ports/log.ts';

/**
 * Ping interval. Keeps proxies from closing idle streams, and shows the browser that the connection is alive. Access is rechecked at the
 * same interval.
 */
const pingMs = 15_000;
/** Maximum unread bytes of a browser before it is disconnected. It reconnects and reloads. */
const backlogBytes = 256 * 1024;
/** Maximum lifetime of a stream, after which the browser authenticates again. */
const lifeMs = 15 * 60_000;

export interface Viewer {
  readonly caller: Caller;
  /** Undefined when the credentials are no longer valid. */
  readonly callerNow: () => Promise<Caller | undefined>;
}
interface HubOptions {
  /** Undefined if the app does not exist. */
  readonly teamOf: (app: string) => Promise<string | undefined>;
  readonly log: Log;
  readonly lifeMs?: number;
}
/** A pipeline has the access rules of its subject. */
const accessOf = ({ kind, about }: ChangeHint): Access | undefined => {
  const own = kindOf(kind)?.access;
  return own === 'signedIn' && about !== undefined ? kindOf(about)?.access : own;
};
interface Stream {
  readonly body: PassThrough;
  readonly callerNow: Viewer['callerNow'];
  caller: Caller;
}

export class EventHub {
  readonly #streams = new Set<Stream>();
  readonly #options: HubOptions;
  #listener: Listener | undefined;
  #ping: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #isCheckWanted = false;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  async start(connection: DatabaseConfig): Promise<void> {
    const { log } = this.#options;
    // Changes may have been missed while disconnected. `resync` makes every browser reload what it shows.
    const onReconnect = () => this.#send('event: resync\ndata: {}\n\n');
    const onPayload = (payload: string): void => {
      this.#take(payload).catch((error: unknown) => log.warn({ err: error }, 'A live change could not be passed on'));
    };
    this.#listener = await listen(connection, CHANGE_CHANNEL, onPayload, { onReconnect, log });
    this.#ping = setInterval(() => {
      this.#send(': ping\n\n');
      void this.#check();
    }, pingMs);
  }

  open({ caller, callerNow }: Viewer): PassThrough {
    const body = new PassThrough();
    const stream: Stream = { body, caller, callerNow };
    this.#streams.add(stream);
    const ending = setTimeout(() => body.end(), this.#options.lifeMs ?? lifeMs).unref();
    body.once('close', () => {
      clearTimeout(ending);
      this.#streams.delete(stream);
    });
    body.write(': open\n\n');
    return body;
  }

  async #take(payload: string): Promise<void> {
    if (payload === CREDENTIALS_CHANGED) return this.#check();
    const hint = hintOf(JSON.parse(payload));
    // A replica with another version may send kinds whose access rules are unknown here.
    const access = hint && accessOf(hint);
    if (hint === undefined || access === undefined) throw new Error(`This version knows no such hint: ${payload}`);
    // Team changes affect who may see further hints.
    if (hint.kind === teamKind.kind) await this.#check();
    const isForAll = access === 'signedIn';
    const { team: owner, app } = hint;
    const team = owner ?? (isForAll || app === undefined ? undefined : await this.#options.teamOf(app));
    const person = hint.kind === noticeKind.kind ? hint['identity'] : undefined;
    this.#send(
      `data: ${payload}\n\n`,
      ({ caller }) => accessRule(access, caller, team) === true && (person === undefined || person === caller.id),
    );
  }

  /** Ends streams whose credentials are no longer valid, and updates the callers of the others. */
  async #check(): Promise<void> {
    this.#isCheckWanted = true;
    this.#checking ??= this.#checkAll().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #checkAll(): Promise<void> {
    while (this.#isCheckWanted) {
      this.#isCheckWanted = false;
      for (const stream of this.#streams) {
        // If this fails, the next ping tries again.
        const caller = await stream.callerNow().catch(() => stream.caller);
        if (caller) stream.caller = caller;
        else stream.body.end();
      }
    }
  }

  #send(text: string, maySee: (stream: Stream) => boolean = () => true): void {
    for (const stream of this.#streams) {
      if (stream.body.writableLength > backlogBytes) stream.body.destroy();
      else if (!stream.body.writableEnded && maySee(stream)) stream.body.write(text);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#ping);
    for (const { body } of this.#streams) body.end();
    await this.#listener?.stop();
  }

  get size(): number {
    return this.#streams.size;
  }
}
