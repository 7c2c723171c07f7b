/** Formats the error when the program cannot start. A known cause is one sentence. Only unexpected errors have a stack trace. */
import { errorCode } from '#kernel/caught.ts';
import { isPortFailure } from '#ports/failure.ts';
import { StartError } from '#kernel/start-error.ts';

export const startFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const code = errorCode(error);
  if (code === 'EADDRINUSE') return `${message}\nAnother program listens there. Set PORT or SLIPWAY_INGRESS_PORT to a free port.`;
  if (code === 'EADDRNOTAVAIL') return `${message}\nHOST must be an address of this machine.`;
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen')
    return `${message}\nPorts below 1024 are for root. Set PORT or SLIPWAY_INGRESS_PORT to a higher one.`;
  if (error instanceof StartError || isPortFailure(error)) return message;
  return error.stack ?? message;
};
