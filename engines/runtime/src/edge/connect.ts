/** Connects the edge to an instance. Only this file assumes a port on the loopback address. */
import { connect, type Socket } from 'node:net';

export interface Target {
  readonly id: string;
  readonly port: number;
}

export type ConnectInstance = (target: Target) => Socket;

export const connectLoopback: ConnectInstance = ({ port }) => connect({ host: '127.0.0.1', port, noDelay: true });

/**
 * Treats a failed write as done. An instance may respond and close before it has read the whole request. A socket that fails in writing
 * would be destroyed along with the unread response, so only reading decides how the call ends.
 */
export function readPastFailedWrites(socket: Socket): Socket {
  const { _write, _writev } = socket;
  const isGone = (error?: NodeJS.ErrnoException | null): boolean => error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, (error) => done(isGone(error) ? null : error));
  socket._writev = _writev && ((chunks, done) => _writev.call(socket, chunks, (error) => done(isGone(error) ? null : error)));
  return socket;
}
