/** One try of a health check, against the port that the instance was given. */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { SandboxedProcess } from '#adapters/sandbox/sandbox.ts';
import type { HealthCheck } from '#ports/runtime.ts';
import { asciiPath } from './ascii-path.ts';

/** undefined when healthy, else half a sentence on what was seen. */
export type ProbeFailure = string | undefined;

export async function probe(check: HealthCheck, process: SandboxedProcess, port: number | undefined): Promise<ProbeFailure> {
  const timeoutMs = check.timeoutSeconds * 1000;
  if (check.type === 'exec') return probeCommand(process, check.exec?.command ?? [], timeoutMs);
  if (port === undefined) return 'the service has no port';
  const connect = (): Socket => process.connect(port);
  return check.type === 'http' ? probeHttp(connect, check.http?.path ?? '/', timeoutMs) : probeTcp(connect, timeoutMs);
}

export async function probeTcp(connect: () => Socket, timeoutMs: number): Promise<ProbeFailure> {
  return new Promise((resolve) => {
    const socket = connect();
    const finish = (failure: ProbeFailure): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(failure);
    };
    const timer = setTimeout(() => finish('the connection timed out'), timeoutMs);
    socket.once('connect', () => finish(undefined));
    socket.once('error', (error) => finish(connectionFailure(error)));
  });
}

async function probeHttp(connect: () => Socket, path: string, timeoutMs: number): Promise<ProbeFailure> {
  return new Promise((resolve) => {
    // A connection of its own that closes at once: a kept one would hold up the program's end.
    const probing = request({
      host: 'localhost',
      path: asciiPath(path),
      createConnection: connect,
      headers: { connection: 'close', 'user-agent': 'slipway-probe' },
    });
    const finish = (failure: ProbeFailure): void => {
      clearTimeout(timer);
      probing.destroy();
      resolve(failure);
    };
    const timer = setTimeout(() => finish(`it did not answer within ${timeoutMs / 1000} s`), timeoutMs);
    probing.once('response', ({ statusCode = 0 }) =>
      finish(statusCode >= 200 && statusCode < 400 ? undefined : `it answered ${statusCode}`),
    );
    probing.on('error', (error) => finish(connectionFailure(error)));
    probing.end();
  });
}

async function probeCommand(process: SandboxedProcess, command: readonly string[], timeoutMs: number): Promise<ProbeFailure> {
  const { code, isTimeout } = await process.exec(command, timeoutMs);
  if (isTimeout) return `the command did not end within ${timeoutMs / 1000} s`;
  return code === 0 ? undefined : `the command ended with exit code ${code ?? 'unknown'}`;
}

function connectionFailure(error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNREFUSED' ? 'nothing listens on its port' : `the connection failed (${error.code ?? error.message})`;
}
