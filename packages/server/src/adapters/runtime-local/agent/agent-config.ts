/** What a server hands over to the node agent each time that it takes it: keys and addresses, through the socket alone. */
import type { JSONWebKeySet } from 'jose';
import type { SandboxTier } from '#adapters/sandbox/sandbox.ts';
import type { Timings } from '../timings.ts';

export interface AgentConfig {
  /** Of the runtime, absolute. */
  readonly dataDir: string;
  readonly imageDir: string;
  /** What of the disk is kept free of images; nothing when not given. */
  readonly disk?: { readonly directory: string; readonly floorBytes: number | undefined } | undefined;
  readonly ingressHost: string;
  readonly ingressPort: number;
  readonly registry: { readonly baseUrl: string; readonly username: string; readonly secret: string };
  /** What the edge asks of tokens, and signs claims with; without it services that ask for tokens are not served. */
  readonly tokens?: {
    readonly issuer: string;
    /** Where the authority publishes its keys, or the keys. */
    readonly keys: string | JSONWebKeySet;
    readonly platformAudience: string;
    /** Base64 of what `newClaimsKey` makes. */
    readonly claimsKey: string;
    readonly claimsIssuer: string;
  };
  /** Hosts of private networks that services may list; none when not given. */
  readonly egressInside?: readonly string[];
  /** What the server has found to work; the agent finds out itself when not given. */
  readonly sandboxTier?: SandboxTier;
  /** How long it goes on without a server. */
  readonly graceMs: number;
  readonly logLevel: string;
  /** Tests shorten them. */
  readonly timings?: Partial<Timings>;
}

/** What cannot change while services run: with another one of these the agent must begin anew. */
export const frameOf = ({ dataDir, imageDir, ingressHost, ingressPort, timings, tokens }: AgentConfig): string =>
  JSON.stringify([
    dataDir,
    imageDir,
    ingressHost,
    ingressPort,
    timings,
    tokens && [tokens.issuer, tokens.platformAudience, tokens.claimsIssuer],
  ]);
