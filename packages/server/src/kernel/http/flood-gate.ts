/** Limits connections, concurrent requests and open streams, per address, per person and in total. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientAddresses, countedAs, type ClientAddresses } from './client-address.ts';
import type { HttpMount } from '#ports/mount.ts';
import { type FloodLimits, floodLimits } from './flood-limits.ts';

/** A limited number of slots, in total and per client. */
class Places {
  readonly #each: number;
  readonly #inAll: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(each: number, inAll: number) {
    this.#each = each;
    this.#inAll = inAll;
  }

  /** Takes a slot and returns the function that releases it, or undefined if none is free. Without `who`, only the total counts. */
  take(who: string | undefined): (() => void) | undefined {
    const taken = who === undefined ? 0 : (this.#taken.get(who) ?? 0);
    if (this.#total >= this.#inAll || taken >= this.#each) return undefined;
    this.#total += 1;
    if (who !== undefined) this.#taken.set(who, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total -= 1;
      if (who !== undefined) this.#give(who);
    };
  }

  #give(who: string): void {
    const left = (this.#taken.get(who) ?? 1) - 1;
    if (left === 0) this.#taken.delete(who);
    else this.#taken.set(who, left);
  }
}

export class FloodGate {
  readonly streamsByPerson: number;
  readonly #connections: Places;
  readonly #streams: Places;
  readonly #ofKind: Readonly<Record<'requests' | NonNullable<HttpMount['slots']>, Places>>;
  readonly #addresses: ClientAddresses;
  readonly #held = new WeakMap<IncomingMessage, () => void>();
  /** Slots held by the requests of each connection. A response queued behind another one never closes by itself. */
  readonly #ofSocket = new WeakMap<Socket, Set<() => void>>();

  constructor(limits: FloodLimits = floodLimits, addresses: ClientAddresses = clientAddresses()) {
    this.streamsByPerson = limits.streams.byPerson;
    this.#connections = new Places(limits.connections.byAddress, limits.connections.inAll);
    this.#streams = new Places(limits.streams.byPerson, limits.streams.inAll);
    const placesOf = ({ byAddress, inAll }: FloodLimits['requests']) => new Places(byAddress, inAll);
    this.#ofKind = {
      requests: placesOf(limits.requests),
      flagStreams: placesOf(limits.flagStreams),
      payloads: placesOf(limits.payloads),
    };
    this.#addresses = addresses;
  }

  /** Closes a connection beyond the limit. A proxy's connections serve many clients, so their requests are counted instead. */
  connect(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const leave = this.#connections.take(this.#addresses.isProxy(remoteAddress) ? undefined : countedAs(remoteAddress));
    if (!leave) return void socket.destroy();
    const held = new Set([leave]);
    this.#ofSocket.set(socket, held);
    socket.once('close', () => {
      for (const one of held) one();
    });
  }

  /** Returns false if the client, or all clients together, have too many concurrent requests of this kind. */
  enter(request: IncomingMessage, response: ServerResponse, kind: HttpMount['slots'] | 'requests' = 'requests'): boolean {
    const leave = this.#ofKind[kind].take(this.#addresses.of(request));
    if (!leave) return false;
    this.#held.set(request, leave);
    this.#untilClosed(request, response, leave);
    return true;
  }

  /** Moves a long-lived request of an authenticated person from the request slots to that person's stream slots. */
  stream(request: IncomingMessage, response: ServerResponse, person: string): boolean {
    const leave = this.#streams.take(person);
    if (!leave) return false;
    this.#held.get(request)?.();
    this.#untilClosed(request, response, leave);
    return true;
  }

  #untilClosed({ socket }: IncomingMessage, response: ServerResponse, leave: () => void): void {
    const held = this.#ofSocket.get(socket);
    held?.add(leave);
    response.once('close', () => {
      held?.delete(leave);
      leave();
    });
  }
}
