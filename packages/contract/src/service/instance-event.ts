/**
 * Events of instances as every engine reports them: a code, and a context with the values. Only instance-event-texts.ts converts both to
 * sentences. No code parses a sentence to find out what happened.
 */

/** Result of one failed health check. `request` is the HTTP request that was sent: `GET /healthz`. */
export type ProbeFailure =
  | { readonly probe: 'NoPort' | 'ConnectionTimeout' | 'NothingListens' }
  | { readonly probe: 'ConnectionFailed' | 'Other'; readonly detail: string }
  | { readonly probe: 'NoAnswer'; readonly timeoutSeconds: number; readonly request?: string }
  | { readonly probe: 'CommandTimeout'; readonly timeoutSeconds: number }
  | { readonly probe: 'Status'; readonly status: number; readonly request?: string }
  | { readonly probe: 'CommandFailed'; readonly exitCode?: number };

type Nothing = Readonly<Record<string, never>>;
type Exit = { readonly exitCode?: number; readonly signal?: string };
/** An instance that ended: how long it ran, and when it restarts. */
type Ended = { readonly ranMs?: number; readonly restart?: number; readonly waitMs?: number };
type Listening = { readonly listens: string; readonly setTo?: number; readonly port: number };
/** Scaled by CPU usage, or because the settings require another number. */
type AutoScaled = { readonly revision: string; readonly from: number; readonly to: number } & ScalingCause;
export type ScalingCause =
  | { readonly cpuPercent: number; readonly targetPercent: number }
  | { readonly minReplicas: number; readonly maxReplicas: number };
type Detail = { readonly detail: string };

/** Every code with the type of its context. */
export interface InstanceEventContexts {
  Scheduled: Nothing;
  Started: { readonly port?: number };
  Healthy: { readonly afterMs: number };
  Scaled: { readonly from: number; readonly to: number };
  ScaledUp: AutoScaled;
  ScaledDown: AutoScaled;
  ScaledDownIdle: { readonly days: number };
  /** Another server replica controls the runtime from now on. */
  Resynced: { readonly replica: string; readonly instances: 'kept' | 'started' };
  /** Somebody changed the engine's objects without the platform, which put them back. `fields` lists them. */
  ChangedOutside: { readonly fields: string };
  Stopped: { readonly tookMs: number };
  Killing: { readonly graceSeconds: number };
  FilesNotMounted: Nothing;
  LogLost: Nothing;
  MetricsScrapeFailed: Detail;
  SecretUnreadable: Nothing;
  /** `times` consecutive attempts since the last report failed the same way, within `spanMs`. */
  NotHealthyYet: ProbeFailure & { readonly times?: number; readonly spanMs?: number };
  /** The stored revision is damaged. Its instances stay unchanged until it is readable. */
  SpecUnreadable: Detail;
  ProbeFailed: ProbeFailure & { readonly failures: number };
  WrongPort: Listening;
  /** The program listens on the port of its settings, although every instance gets a port of its own. */
  IgnoresPort: Listening;
  Exited: Exit & Ended;
  /** A warning while the program runs, an error if it ended for this reason. */
  DiskFull: { readonly temporaryMegabytes?: number } & Exit & Ended;
  OOMKilled: { readonly limitMegabytes: number } & Ended;
  Unhealthy: ProbeFailure & { readonly failures: number } & Ended;
  StartupTimeout: ProbeFailure & { readonly afterSeconds: number } & Ended;
  PortTaken: { readonly port: number } & Ended;
  WatchFailed: Ended;
  StartFailed: ({ readonly obstacle: 'Sandbox' | 'PlatformDisk' } | ({ readonly obstacle: 'Other' } & Detail)) & Ended;
  /** `place` is where the path resolves to in the image. */
  MountRefused: { readonly path: string; readonly place: string; readonly obstacle: 'Reserved' | 'Image' } & Ended;
  /** The image's working directory; `place` is where it resolves to. */
  WorkingDirectoryRefused: { readonly path: string; readonly place: string } & Ended;
  ImagePullFailed: Detail & Ended;
  RegistryUnavailable: Detail & Ended;
  PlatformDiskFull: Ended;
}
export type InstanceEventCode = keyof InstanceEventContexts;
export type InstanceEventContext = Readonly<Record<string, string | number>>;
export interface InstanceEventFacts {
  readonly code: InstanceEventCode;
  readonly context: InstanceEventContext;
}
/** Engines create events only with this function, so that each code comes with its own context type. */
export const instanceEvent = <Code extends InstanceEventCode>(code: Code, context: InstanceEventContexts[Code]): InstanceEventFacts => ({
  code,
  context,
});
