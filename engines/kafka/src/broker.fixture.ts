/** Runs the broker as a process for tests: in its own directory, on any free port. Ends it by its lifeline or kills it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { BrokerReady, brokerProgram, type BrokerInput } from './program.ts';

export const ADMIN = { name: 'admin', password: 'the platform is the admin' };

export interface TestBroker {
  readonly directory: string;
  readonly port: number;
  /** One port per environment, in their order. */
  readonly ports: readonly number[];
  readonly child: ChildProcess;
  /** Returns the log so far. */
  readonly logged: () => string;
  /** Ends the broker and returns its exit status. */
  end(): Promise<number | null>;
  kill(): Promise<void>;
}

export const brokerDirectory = async (): Promise<string> => path.join(await mkdtemp(path.join(tmpdir(), 'slipway-broker-')), 'broker');

/** `log`: a file descriptor for the log. By default the log is in the result. */
export const runBroker = async (directory: string, more: Partial<BrokerInput> = {}, port = 0, log?: number): Promise<TestBroker> => {
  const child = spawn(process.execPath, [brokerProgram], { stdio: ['pipe', 'pipe', log ?? 'pipe'] });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout) throw new Error('the broker has no lifeline');
  let logged = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => (logged += text));
  const exited = once(child, 'exit');
  const options: BrokerInput = {
    directory,
    host: '127.0.0.1',
    environments: [{ name: 'development', port, advertisedHost: '127.0.0.1' }],
    admin: ADMIN,
    floorBytes: 0,
    ...more,
  };
  stdin.write(`${JSON.stringify(options)}\n`);
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: stdout }).once('line', resolve)),
    exited.then(() => Promise.reject(new Error(`the broker ended: ${logged}`))),
  ]);
  const ready = BrokerReady.parse(JSON.parse(line));
  const end = async (): Promise<number | null> => {
    stdin.end();
    await exited;
    return child.exitCode;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  const ports = ready.environments.map((environment) => environment.port);
  return { directory, port: ports[0] ?? 0, ports, child, logged: () => logged, end, kill };
};

export const removeBroker = async ({ directory, end, child }: TestBroker): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await end();
  await rm(path.dirname(directory), { recursive: true, force: true });
};
