/** Clusters run by operators, one per environment, from the configuration. An environment without a cluster is `unavailable`. */
import { PortFailure } from '#ports/failure.ts';
import type { BrokerAddress, StreamingConnection, StreamingEnvironment } from '#ports/streaming.ts';
import type { ClusterAccess, ClusterSource } from './cluster-source.ts';

export interface ConfiguredCluster {
  readonly brokers: readonly BrokerAddress[];
  readonly user: string;
  readonly password: string;
  readonly mechanism: StreamingConnection['mechanism'];
  /** `system` trusts the machine's certificate authorities. Otherwise PEM. */
  readonly tls: 'none' | 'system' | { readonly certificateAuthority: string };
}

export class ConfiguredClusters implements ClusterSource {
  readonly #clusters: Partial<Record<StreamingEnvironment, ConfiguredCluster>>;

  constructor(clusters: Partial<Record<StreamingEnvironment, ConfiguredCluster>>) {
    this.#clusters = clusters;
  }

  async connection(environment: StreamingEnvironment): Promise<StreamingConnection> {
    const { brokers, mechanism, tls } = this.#of(environment);
    const authority = typeof tls === 'object' ? tls : {};
    return { bootstrapServers: brokers, securityProtocol: tls === 'none' ? 'SASL_PLAINTEXT' : 'SASL_SSL', mechanism, ...authority };
  }

  async access(environment: StreamingEnvironment): Promise<ClusterAccess> {
    const { brokers, mechanism, user, password, tls } = this.#of(environment);
    return { brokers, mechanism, user, password, ...(tls === 'none' ? {} : { tls: typeof tls === 'object' ? tls : {} }) };
  }

  isInUse(environment: StreamingEnvironment): boolean {
    return this.#clusters[environment] !== undefined;
  }

  async close(): Promise<void> {}

  #of(environment: StreamingEnvironment): ConfiguredCluster {
    const cluster = this.#clusters[environment];
    if (!cluster)
      throw new PortFailure('unavailable', `No Kafka is configured for ${environment}`, { context: { engine: 'Kafka cluster' } });
    return cluster;
  }
}
