/** Client connections: their limits, the order of requests on each, and how they end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { clientOf } from '@slipway/foundation/attempt-limit.ts';
import { WAITING_REQUESTS, type EdgeLimits } from './limits.ts';
import { endWith, sendRefusal, type Refusal } from './problem.ts';

type ConnectionLimits = Pick<EdgeLimits, 'connections' | 'connectionsPerAddress' | 'requestsPerConnection'>;

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly start: () => void;
}

/** One connection: the active request, the waiting requests, and the total count. */
interface Queue {
  readonly turns: Turn[];
  requests: number;
  /** True when further input is no longer parsed as requests. */
  isEnding: boolean;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #full: (address: string) => void;
  readonly #byAddress = new Map<string, number>();
  readonly #queues = new WeakMap<Socket, Queue>();
  #count = 0;

  constructor(limits: ConnectionLimits, full: (address: string) => void) {
    this.#limits = limits;
    this.#full = full;
  }

  /** Closes a connection above the limit without a response, which would cost what the limit saves. */
  accept(socket: Socket): void {
    const address = clientOf(socket.remoteAddress);
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#count >= this.#limits.connections || ofAddress >= this.#limits.connectionsPerAddress) {
      socket.destroy();
      return this.#full(address);
    }
    this.#count++;
    this.#byAddress.set(address, ofAddress + 1);
    socket.once('close', () => {
      this.#count--;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    });
    // Covers every way in which Node's server ends the connection after a response.
    socket.destroySoon = () => this.#endSoon(socket);
  }

  /**
   * Starts a request after the earlier requests on its connection have been answered. If they ran in parallel, a later one could overtake
   * an earlier one.
   */
  take(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket } = request;
    // The request arrived after the last one that is answered on this connection.
    if (!socket.writable) return;
    const queue = this.#queues.get(socket) ?? { turns: [], requests: 0, isEnding: false };
    const { turns } = queue;
    if (turns.length > WAITING_REQUESTS) return void socket.destroy();
    turns.push({ request, response, start });
    if (++queue.requests === 1) this.#queues.set(socket, queue);
    if (queue.requests >= this.#limits.requestsPerConnection) response.shouldKeepAlive = false;
    response.once('close', () => {
      turns.shift();
      if (socket.writable) turns[0]?.start();
    });
    if (turns.length === 1) start();
  }

  isBusy(socket: Socket): boolean {
    return (this.#queues.get(socket)?.turns.length ?? 0) > 0;
  }

  /** Rejects bytes that are no valid request. Never writes into another request's response, whose client would take them for part of it. */
  refuse(socket: Socket, refusal: Refusal): void {
    const queue = this.#queues.get(socket);
    // Ignores everything after the first invalid bytes.
    if (!socket.writable || queue?.isEnding) return;
    const [turn] = queue?.turns ?? [];
    const last = queue?.turns.at(-1);
    if (!queue || !turn || !last) return endWith(socket, refusal);
    queue.isEnding = true;
    if (last.request.complete) {
      // Earlier requests still get their responses.
      last.response.shouldKeepAlive = false;
      last.response.once('close', () => socket.destroySoon());
    } else if (last === turn && !turn.response.headersSent) sendRefusal(turn.response, refusal);
    else socket.destroy();
  }

  /**
   * Waits for the request to end before closing. Closing a socket with unread bytes resets the connection, and the client would lose the
   * response in flight.
   */
  #endSoon(socket: Socket): void {
    const turn = this.#queues.get(socket)?.turns[0];
    if (!turn || turn.request.complete) return Socket.prototype.destroySoon.call(socket);
    socket.end();
    turn.request.once('end', () => socket.destroy());
  }
}
