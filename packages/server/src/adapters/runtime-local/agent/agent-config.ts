/** What a node agent is told by its server, as one line of JSON on its standard input: it holds keys. */
import type { JSONWebKeySet } from 'jose';
import type { SandboxTier } from '#adapters/sandbox/sandbox.ts';
import type { Timings } from '../timings.ts';

export interface AgentConfig {
  readonly socket: string;
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
  readonly logLevel: string;
  /** Tests shorten them. */
  readonly timings?: Partial<Timings>;
}

export interface Lifeline {
  readonly config: Promise<AgentConfig>;
  /** Resolves when the server is gone, however it ended. */
  readonly ended: Promise<void>;
}

export function readLifeline(input: NodeJS.ReadableStream): Lifeline {
  const [config, ended] = [Promise.withResolvers<AgentConfig>(), Promise.withResolvers<void>()];
  let text = '';
  input.setEncoding('utf8');
  input.on('data', (part: string) => {
    text += part;
    if (text.endsWith('\n')) config.resolve(JSON.parse(text) as AgentConfig);
  });
  for (const end of ['end', 'close', 'error']) input.on(end, () => ended.resolve());
  return { config: config.promise, ended: ended.promise };
}
