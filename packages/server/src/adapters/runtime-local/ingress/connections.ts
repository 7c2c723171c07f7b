/** The clients' connections: how many there may be, whose turn it is on each, and how they end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { WAITING_REQUESTS, type EdgeLimits } from './limits.ts';
import { endWith, sendRefusal, type Refusal } from './problem.ts';

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly start: () => void;
}

export class Connections {
  readonly #limits: Pick<EdgeLimits, 'connections' | 'connectionsPerAddress'>;
  readonly #byAddress = new Map<string, number>();
  readonly #turns = new WeakMap<Socket, Turn[]>();
  #count = 0;

  constructor(limits: Pick<EdgeLimits, 'connections' | 'connectionsPerAddress'>) {
    this.#limits = limits;
  }

  /** Ends a connection that is one too many, at once: an answer would cost what the limit is to save. */
  accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#count >= this.#limits.connections || ofAddress >= this.#limits.connectionsPerAddress) return void socket.destroy();
    this.#count++;
    this.#byAddress.set(address, ofAddress + 1);
    socket.once('close', () => {
      this.#count--;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    });
    // However Node's server comes to end the connection after an answer.
    socket.destroySoon = () => this.#endSoon(socket);
  }

  /** Starts a request when those before it on its connection are answered: run at once, a later one could overtake an earlier one. */
  take(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket } = request;
    // It came after the last one that is answered here.
    if (!socket.writable) return;
    const turns = this.#turns.get(socket) ?? [];
    if (turns.length > WAITING_REQUESTS) return void socket.destroy();
    turns.push({ request, response, start });
    this.#turns.set(socket, turns);
    response.once('close', () => {
      turns.shift();
      if (socket.writable) turns[0]?.start();
    });
    if (turns.length === 1) start();
  }

  isBusy(socket: Socket): boolean {
    return (this.#turns.get(socket)?.length ?? 0) > 0;
  }

  /** For bytes that are no request, or no further part of one. Without an answer where it would be taken for another one's. */
  refuse(socket: Socket, refusal: Refusal): void {
    // Whatever else comes after the first of them.
    if (!socket.writable) return;
    const [turn, next] = this.#turns.get(socket) ?? [];
    if (!turn) return endWith(socket, refusal);
    if (next || turn.request.complete || turn.response.headersSent) return void socket.destroy();
    sendRefusal(turn.response, refusal);
  }

  /** With unread bytes a closed connection is reset, and a reset one loses the answer that is under way to the client. */
  #endSoon(socket: Socket): void {
    const [turn] = this.#turns.get(socket) ?? [];
    if (!turn || turn.request.complete) return Socket.prototype.destroySoon.call(socket);
    socket.end();
    turn.request.once('end', () => socket.destroy());
  }
}
