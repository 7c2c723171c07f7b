/** Live changes: one database listener a replica, fanned out to the browsers that hold a stream open and may see them. */
import { PassThrough } from 'node:stream';
import { hintOf, type ChangeHint } from '@slipway/contract/kernel/hint.ts';
import type { Access } from '@slipway/contract/kernel/kernel.ts';
import { kindOf } from '@slipway/contract/kernel/kinds.ts';
import { accessRule } from '@slipway/contract/kernel/rights.ts';
import { teamKind } from '@slipway/contract/team.kind.ts';
import type { DatabaseConfig } from '#db/database.ts';
import { listen, type Listener } from '#db/listen.ts';
import { CHANGE_CHANNEL, CREDENTIALS_CHANGED } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { Log } from '#ports/log.ts';

/** Keeps proxies from closing a quiet stream, and tells the browser that the line is alive. Rights are looked at again as often. */
const pingMs = 15_000;
/** A browser that reads nothing for so many bytes is let go: it reconnects and reads anew. */
const backlogBytes = 256 * 1024;
/** Whoever was let in signs in anew after so long. */
const lifeMs = 15 * 60_000;

export interface Viewer {
  readonly caller: Caller;
  /** Undefined once the credentials are not good any more. */
  readonly callerNow: () => Promise<Caller | undefined>;
}
interface HubOptions {
  /** Undefined: there is no such app. */
  readonly teamOf: (app: string) => Promise<string | undefined>;
  readonly log: Log;
  readonly lifeMs?: number;
}
/** A pipeline is hidden with what it is about. */
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
    // After a lost connection nobody knows what was missed: `resync` makes every browser read what it shows.
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
    // A replica of another version may know more kinds, whose rights nobody knows here.
    const access = hint && accessOf(hint);
    if (hint === undefined || access === undefined) throw new Error(`This version knows no such hint: ${payload}`);
    // Who is in which team decides what may be seen from now on.
    if (hint.kind === teamKind.kind) await this.#check();
    const isForAll = access === 'signedIn';
    const { team: owner, app } = hint;
    const team = owner ?? (isForAll || app === undefined ? undefined : await this.#options.teamOf(app));
    this.#send(`data: ${payload}\n\n`, ({ caller }) => accessRule(access, caller, team) === true);
  }

  /** Ends the streams of those whose credentials are not good any more, and renews what is known of the others. */
  async #check(): Promise<void> {
    this.#isCheckWanted = true;
    this.#checking ??= this.#checkAll().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #checkAll(): Promise<void> {
    while (this.#isCheckWanted) {
      this.#isCheckWanted = false;
      for (const stream of this.#streams) {
        // Where it cannot be found out at this moment, it is tried again with the next ping.
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
