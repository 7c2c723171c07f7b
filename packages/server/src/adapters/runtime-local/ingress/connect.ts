/** How the edge reaches an instance: one place, so that instances may live elsewhere than at a port of the loopback address. */
import { connect, type Socket } from 'node:net';

export interface Target {
  readonly id: string;
  readonly port: number;
}

export type ConnectInstance = (target: Target) => Socket;

export const connectLoopback: ConnectInstance = ({ port }) => connect({ host: '127.0.0.1', port, noDelay: true });

/**
 * An instance may answer and close before it has read the whole request. What is still written then fails, and a socket that fails in
 * writing is destroyed with the answer that it has not read. So a failed write counts as done: reading says how it ends.
 */
export function readPastFailedWrites(socket: Socket): Socket {
  const { _write, _writev } = socket;
  const isGone = (error?: NodeJS.ErrnoException | null): boolean => error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, (error) => done(isGone(error) ? null : error));
  socket._writev = _writev && ((chunks, done) => _writev.call(socket, chunks, (error) => done(isGone(error) ? null : error)));
  return socket;
}
