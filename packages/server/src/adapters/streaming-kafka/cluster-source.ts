/** Where the brokers of an environment are, and as whom the platform signs in there. Who runs them is another's business: our own program, or an operator. */
import type { BrokerAddress, StreamingConnection, StreamingEnvironment } from '#ports/streaming.ts';

export interface ClusterAccess {
  readonly brokers: readonly BrokerAddress[];
  readonly mechanism: StreamingConnection['mechanism'];
  readonly user: string;
  readonly password: string;
  /** Undefined: without TLS. */
  readonly tls?: { readonly certificateAuthority?: string };
  /** One node: whatever address it gives to clients, we reach it where we reached it first. */
  readonly isSingleNode?: boolean;
}

export interface ClusterSource {
  connection(environment: StreamingEnvironment): Promise<StreamingConnection>;
  /** Answers once the cluster can be asked, starting it where that is ours to do. Throws `unavailable`. */
  access(environment: StreamingEnvironment): Promise<ClusterAccess>;
  /** False while it is ours to start, and nobody has needed it yet. */
  isInUse(environment: StreamingEnvironment): boolean;
  close(): Promise<void>;
}
