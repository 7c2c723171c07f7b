/** Dependencies of each instance on the runtime. */
import type { Doorway } from '../../sandbox/network/network-namespace.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { InstanceEvent, RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import type { ImageSource } from './image-source.ts';
import type { PortPool } from './port-pool.ts';
import type { Timings } from '../timings.ts';

export interface InstanceContext {
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  readonly images: ImageSource;
  /** Used by sandboxes without networks, in which all instances share the machine's ports. */
  readonly ports: PortPool;
  /** URL of the platform's endpoints for instances. */
  readonly platformUrl: () => string | undefined;
  /** Doorways out of the network of a service's instances. */
  readonly doorways: (spec: RevisionSpec) => readonly Doorway[];
  readonly timings: Timings;
  readonly log: Log;
  readonly emit: (event: InstanceEvent) => void;
  /** Called when an instance becomes ready or unready. The edge must know before anything else happens. */
  readonly readinessChanged: (service: string) => void;
  /** Resolves when an instance that left the edge has answered its pending requests. */
  readonly answered: (service: string, instance: string) => Promise<void>;
}
