/** A broker with one environment in the test's process, and its clients. */
import { startBroker, type Broker } from '../broker.ts';
import { BrokerOptions } from '../program.ts';
import type { Api, Request, Response } from '../protocol/apis.ts';
import { RawClient } from '../raw-client.fixture.ts';

export const SUPER = { name: 'platform', password: 'given-at-the-start' };

export interface LocalBroker {
  readonly broker: Broker;
  readonly port: number;
  /** Logged errors. */
  readonly failures: string[];
}
export const localBroker = async (directory: string, port = 0): Promise<LocalBroker> => {
  const failures: string[] = [];
  const options = BrokerOptions.parse({
    directory,
    host: '127.0.0.1',
    environments: [{ name: 'development', port, advertisedHost: '127.0.0.1' }],
    admin: SUPER,
    floorBytes: 0,
  });
  const broker = await startBroker(options, (level, message, detail) => {
    if (level === 'error') failures.push(`${message} ${JSON.stringify(detail)}`);
  });
  return { broker, port: broker.ready.environments[0]?.port ?? 0, failures };
};

export const connect = async (port: number, user: { readonly name: string; readonly password: string }): Promise<RawClient> => {
  const client = new RawClient(port);
  const code = await client.signIn(user.name, user.password);
  if (code !== 0) throw new Error(`the sign-in ended with ${code}`);
  return client;
};

/** Fails if the connection closes instead. */
export const call = async <A extends Api>(
  client: RawClient,
  api: A,
  version: number,
  request: Partial<Request<A>>,
): Promise<Response<A>> => {
  const answer = await client.call(api, version, request);
  if (answer === undefined) throw new Error('the connection was closed');
  return answer;
};
