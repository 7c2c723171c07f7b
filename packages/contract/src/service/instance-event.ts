/**
 * What happens to instances, as every engine reports it: a code, and a context that holds the values. The sentences for people are made
 * from both in instance-event-texts.ts and nowhere else; no code reads a sentence to find out what happened.
 */

/** What one failed try of a health check saw. `request` is the HTTP request that was sent: `GET /healthz`. */
export type ProbeFailure =
  | { readonly probe: 'NoPort' | 'ConnectionTimeout' | 'NothingListens' }
  | { readonly probe: 'ConnectionFailed' | 'Other'; readonly detail: string }
  | { readonly probe: 'NoAnswer'; readonly timeoutSeconds: number; readonly request?: string }
  | { readonly probe: 'CommandTimeout'; readonly timeoutSeconds: number }
  | { readonly probe: 'Status'; readonly status: number; readonly request?: string }
  | { readonly probe: 'CommandFailed'; readonly exitCode?: number };

type Nothing = Readonly<Record<string, never>>;
type Exit = { readonly exitCode?: number; readonly signal?: string };
/** An instance that ended: how long it ran, and when it is started again. */
type Ended = { readonly ranMs?: number; readonly restart?: number; readonly waitMs?: number };
type Listening = { readonly listens: string; readonly setTo?: number; readonly port: number };
/** By its use of the processor, or since its settings ask for another number. */
type AutoScaled = { readonly revision: string; readonly from: number; readonly to: number } & ScalingCause;
export type ScalingCause =
  | { readonly cpuPercent: number; readonly targetPercent: number }
  | { readonly minReplicas: number; readonly maxReplicas: number };
type Detail = { readonly detail: string };

/** Every code, with what its context holds. */
export interface InstanceEventContexts {
  Scheduled: Nothing;
  Started: { readonly port?: number };
  Healthy: { readonly afterMs: number };
  Scaled: { readonly from: number; readonly to: number };
  ScaledUp: AutoScaled;
  ScaledDown: AutoScaled;
  ScaledDownIdle: { readonly days: number };
  /** Another replica drives the runtime from here on. */
  Resynced: { readonly replica: string; readonly instances: 'kept' | 'started' };
  Stopped: { readonly tookMs: number };
  Killing: { readonly graceSeconds: number };
  FilesNotMounted: Nothing;
  LogLost: Nothing;
  MetricsScrapeFailed: Detail;
  SecretUnreadable: Nothing;
  /** `times` tries in a row saw the same within `spanMs`, all of them since the last report. */
  NotHealthyYet: ProbeFailure & { readonly times?: number; readonly spanMs?: number };
  /** What is stored of the revision is damaged: nothing of it is changed until it can be read. */
  SpecUnreadable: Detail;
  ProbeFailed: ProbeFailure & { readonly failures: number };
  WrongPort: Listening;
  /** It listens on the port of its settings, where every instance gets a port of its own. */
  IgnoresPort: Listening;
  Exited: Exit & Ended;
  /** As a warning while it runs, and as an error when it ended of it. */
  DiskFull: { readonly temporaryMegabytes?: number } & Exit & Ended;
  OOMKilled: { readonly limitMegabytes: number } & Ended;
  Unhealthy: ProbeFailure & { readonly failures: number } & Ended;
  StartupTimeout: ProbeFailure & { readonly afterSeconds: number } & Ended;
  PortTaken: { readonly port: number } & Ended;
  WatchFailed: Ended;
  StartFailed: ({ readonly obstacle: 'Sandbox' | 'PlatformDisk' } | ({ readonly obstacle: 'Other' } & Detail)) & Ended;
  /** `place` is where the path leads in the image. */
  MountRefused: { readonly path: string; readonly place: string; readonly obstacle: 'Reserved' | 'Image' } & Ended;
  /** The image's working directory; `place` is where it leads. */
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
/** The only way in which engines write them, so that each code comes with its own context. */
export const instanceEvent = <Code extends InstanceEventCode>(code: Code, context: InstanceEventContexts[Code]): InstanceEventFacts => ({
  code,
  context,
});
