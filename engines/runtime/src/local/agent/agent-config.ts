/** Keys and addresses that a server passes to the node agent on each takeover, only through the socket. */
import type { JSONWebKeySet } from 'jose';
import type { SandboxTier } from '../../sandbox/sandbox.ts';
import type { Timings } from '../timings.ts';

export interface AgentConfig {
  /** The runtime's data directory, absolute. */
  readonly dataDir: string;
  readonly imageDir: string;
  /** Disk space to keep free of images. Defaults to none. */
  readonly disk?: { readonly directory: string; readonly floorBytes: number | undefined } | undefined;
  readonly ingressHost: string;
  readonly ingressPort: number;
  readonly registry: { readonly baseUrl: string; readonly username: string; readonly secret: string };
  /** Settings for checking tokens and signing claims at the edge. Without them, services that require tokens are not served. */
  readonly tokens?: {
    readonly issuer: string;
    /** URL of the authority's key set, or the keys. */
    readonly keys: string | JSONWebKeySet;
    readonly platformAudience: string;
    /** Base64 of the output of `newClaimsKey`. */
    readonly claimsKey: string;
    readonly claimsIssuer: string;
  };
  /** Hosts of private networks that services may list. Defaults to none. */
  readonly egressInside?: readonly string[];
  /** Tier that the server detected. If undefined, the agent detects it. */
  readonly sandboxTier?: SandboxTier;
  /** How long the agent keeps running without a server. */
  readonly graceMs: number;
  readonly logLevel: string;
  /** Overridden in tests. */
  readonly timings?: Partial<Timings>;
}

/** Returns the settings that cannot change while services run. The agent must restart if any of them differs. */
export const frameOf = ({ dataDir, imageDir, ingressHost, ingressPort, timings, tokens }: AgentConfig): string =>
  JSON.stringify([
    dataDir,
    imageDir,
    ingressHost,
    ingressPort,
    timings,
    tokens && [tokens.issuer, tokens.platformAudience, tokens.claimsIssuer],
  ]);
