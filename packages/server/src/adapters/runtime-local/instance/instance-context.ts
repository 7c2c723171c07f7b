/** What every instance needs from the runtime around it. */
import type { Doorway } from '#adapters/sandbox/network/network-namespace.ts';
import type { Sandbox } from '#adapters/sandbox/sandbox.ts';
import type { Log } from '#ports/log.ts';
import type { InstanceEvent, RevisionSpec } from '#ports/runtime.ts';
import type { ImageSource } from './image-source.ts';
import type { PortPool } from './port-pool.ts';
import type { Timings } from '../timings.ts';

export interface InstanceContext {
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  readonly images: ImageSource;
  /** For a sandbox without networks, where all instances share the machine's ports. */
  readonly ports: PortPool;
  /** Where instances find what of the platform is for them. */
  readonly platformUrl: () => string | undefined;
  /** What the network of a service's instances leads to. */
  readonly doorways: (spec: RevisionSpec) => readonly Doorway[];
  readonly timings: Timings;
  readonly log: Log;
  readonly emit: (event: InstanceEvent) => void;
  /** An instance got ready, or stopped being so: the edge must know before anything else happens. */
  readonly readinessChanged: (service: string) => void;
  /** Resolves when an instance that left the edge has answered what it was sent before. */
  readonly answered: (service: string, instance: string) => Promise<void>;
}
