/** One probe of a health check, against the port that the instance was assigned. */
import { request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import type { SandboxedProcess } from '../../sandbox/sandbox.ts';
import type { HealthCheck } from '@slipway/foundation/ports/runtime.ts';
import { asciiPath } from './ascii-path.ts';

/** Parts of a running program that its health check uses. */
export type ProbedProcess = Pick<SandboxedProcess, 'connect' | 'exec' | 'processes'>;

/** Undefined when healthy, otherwise what was observed. */
export type ProbeResult = ProbeFailure | undefined;

export async function probe(check: HealthCheck, process: ProbedProcess, port: number | undefined): Promise<ProbeResult> {
  const timeoutMs = check.timeoutSeconds * 1000;
  if (check.type === 'exec') return probeCommand(process, check.exec?.command ?? [], timeoutMs);
  if (port === undefined) return { probe: 'NoPort' };
  const connect = (): Socket => process.connect(port);
  return check.type === 'http' ? probeHttp(connect, check.http?.path ?? '/', timeoutMs) : probeTcp(connect, timeoutMs);
}

export async function probeTcp(connect: () => Socket, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const socket = connect();
    const finish = (failure: ProbeResult): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(failure);
    };
    const timer = setTimeout(() => finish({ probe: 'ConnectionTimeout' }), timeoutMs);
    socket.once('connect', () => finish(undefined));
    socket.once('error', (error) => finish(connectionFailure(error)));
  });
}

async function probeHttp(connect: () => Socket, path: string, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    // Uses its own connection and closes it immediately: a kept connection would delay the program's exit.
    const probing = startRequest({
      host: 'localhost',
      path: asciiPath(path),
      createConnection: connect,
      headers: { connection: 'close', 'user-agent': 'slipway-probe' },
    });
    const request = `GET ${path}`;
    const finish = (failure: ProbeResult): void => {
      clearTimeout(timer);
      probing.destroy();
      resolve(failure);
    };
    const timer = setTimeout(() => finish({ probe: 'NoAnswer', timeoutSeconds: timeoutMs / 1000, request }), timeoutMs);
    probing.once('response', ({ statusCode = 0 }) =>
      finish(statusCode >= 200 && statusCode < 400 ? undefined : { probe: 'Status', status: statusCode, request }),
    );
    probing.on('error', (error) => finish(connectionFailure(error)));
    probing.end();
  });
}

async function probeCommand(process: ProbedProcess, command: readonly string[], timeoutMs: number): Promise<ProbeResult> {
  const { code, isTimeout } = await process.exec(command, timeoutMs);
  if (isTimeout) return { probe: 'CommandTimeout', timeoutSeconds: timeoutMs / 1000 };
  if (code === 0) return undefined;
  return { probe: 'CommandFailed', ...(code === null ? {} : { exitCode: code }) };
}

function connectionFailure(error: NodeJS.ErrnoException): ProbeFailure {
  if (error.code === 'ECONNREFUSED') return { probe: 'NothingListens' };
  return { probe: 'ConnectionFailed', detail: error.code ?? error.message };
}
