/** The brokers of an environment and the platform's credentials for them. The brokers are run by our own program or by an operator. */
import type { BrokerAddress, StreamingConnection, StreamingEnvironment } from '#ports/streaming.ts';

export interface ClusterAccess {
  readonly brokers: readonly BrokerAddress[];
  readonly mechanism: StreamingConnection['mechanism'];
  readonly user: string;
  readonly password: string;
  /** Undefined without TLS. */
  readonly tls?: { readonly certificateAuthority?: string };
  /** True for a single node. The platform then ignores the address that the node advertises and keeps the original one. */
  readonly isSingleNode?: boolean;
}

export interface ClusterSource {
  connection(environment: StreamingEnvironment): Promise<StreamingConnection>;
  /** Resolves once the cluster can be asked. Starts it if the platform runs it. Throws `unavailable`. */
  access(environment: StreamingEnvironment): Promise<ClusterAccess>;
  /** False if the platform runs the cluster and has not needed it yet. */
  isInUse(environment: StreamingEnvironment): boolean;
  close(): Promise<void>;
}
