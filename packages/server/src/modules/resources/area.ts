/** Describes an area of the platform as one value. The composition root joins areas without knowing them individually. */
import type { Database, DatabaseConfig } from '#db/database.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import type { AccessTokens } from '#kernel/auth/access-token.ts';
import type { DiskFloor, Floor } from '#kernel/disk-floor.ts';
import type { Handler } from '#kernel/http/handle.ts';
import type { CallInside } from '#kernel/http/inside.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import type { Scope } from '#kernel/http/mount.ts';
import type { Metric } from '#kernel/telemetry/metric.ts';
import type { AnyPipeline, PipelineEngine } from '#modules/pipelines/index.ts';
import type { RequestKind, Requests } from '#modules/requests/index.ts';
import type { AuditReceiver } from '#ports/audit-receiver.ts';
import type { Builder } from '#ports/builder.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';
import type { Directory } from '#ports/directory.ts';
import type { Databases } from '#ports/databases.ts';
import type { Keys } from '#ports/keys.ts';
import type { Log } from '#ports/log.ts';
import type { Mailer } from '#ports/mailer.ts';
import type { HttpMount } from '#ports/mount.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import type { Scanner } from '#ports/scanner.ts';
import type { ServiceTokens } from '#ports/service-tokens.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { SourceHost } from '#ports/source.ts';
import type { Streaming } from '#ports/streaming.ts';

export interface Adapters {
  readonly registry: Registry;
  readonly source: SourceHost;
  readonly runtime: Runtime;
  readonly builder: Builder;
  /** Lists packages of images. */
  readonly scanner: Scanner;
  /** Reports vulnerabilities of images, replacing the imported advisories. */
  readonly outsideScanner?: Scanner | undefined;
  /** Wraps data keys of secrets. */
  readonly keys: Keys;
  /** Manages databases of apps. */
  readonly databases: Databases;
  /** Manages topics, users of accounts, and messages. */
  readonly streaming: Streaming;
  /** Stores schemas of topics for Kafka clients. Its mount is among `mounts`. */
  readonly schemaRegistry: SchemaRegistry;
  /** Directory of the backup files. */
  readonly backups: { readonly directory: string; readonly floor: Floor };
  /** Calls user-supplied addresses. */
  readonly outgoing: Outgoing;
  /** Sends e-mail. */
  readonly mailer: Mailer;
  /** Collects the audit log outside. */
  readonly auditReceiver?: AuditReceiver | undefined;
  /** Knows who left the company. */
  readonly directory: Directory;
  readonly mounts: readonly HttpMount[];
  /** Disk of the data directory. */
  readonly disk?: Pick<DiskFloor, 'isShort'>;
  readonly signIn: AccessTokens & {
    readonly authority: string;
    readonly clientId: string;
    /** Whether sessions and refresh tokens are bound to a key that the console keeps (record 0020). */
    readonly isKeyBound: boolean;
    /** Undefined if the authority is part of this process. */
    readonly probe?: EngineProbe['probe'];
    /** Ends a person's sessions at the embedded authority. */
    readonly endSessions?: (identityId: string) => Promise<void>;
    /** Only the embedded authority issues tokens for services. */
    readonly serviceTokens?: ServiceTokens;
  };
}

/** Dependencies of an area. An area with further dependencies extends it: `(context: AreaContext & { templates?: TemplateFiles })`. */
export interface AreaContext {
  readonly database: Database;
  /** For sessions that hold locks or listen. */
  readonly connection: DatabaseConfig;
  readonly engine: PipelineEngine;
  /** Raises, decides and voids requests. */
  readonly requests: Requests;
  readonly adapters: Adapters;
  readonly publicUrl: string;
  /** The listener's port, for the Host check and for calls of this server itself. */
  readonly port: () => number;
  /** URL pattern of services at the edge, with the placeholders `{service}`, `{app}` and `{env}`. */
  readonly serviceUrl: string;
  /** Client key of the flags that the console itself asks for. */
  readonly flagsClientKey?: string | undefined;
  readonly mode: 'development' | 'production';
  readonly isWorker: boolean;
  readonly replica: string;
  /** Version of the platform. */
  readonly version: string;
  /** Lock by which replicas on one machine decide which of them uses the runtime. */
  readonly fence?: () => DirectoryLock | undefined;
  readonly log: Log;
  /** Calls a route of any area in a person's name. Available once all areas are joined. */
  readonly callInside: CallInside;
  /** Checks of all areas, available once all are joined. */
  readonly checks: () => Checks;
  readonly metrics: () => readonly Metric[];
}

/** Each check returns `ok`, `low`, `degraded: …` if the replica still serves but needs attention, or the problem. */
export type Checks = Readonly<Record<string, () => Promise<string>>>;

export type { Metric };

interface Task {
  start(): void | Promise<void>;
  stop(how: { readonly isRestart: boolean }): Promise<void>;
}

export interface Area {
  readonly routes?: readonly Handler[];
  readonly pipelines?: readonly AnyPipeline[];
  /** Kinds of requests that the area applies. */
  readonly requestKinds?: readonly RequestKind[];
  /** Path parameters that name team-owned resources. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  /** Background tasks of workers, which run while pipelines can be started. */
  readonly tasks?: readonly Task[];
  /** Services that pipelines and browsers depend on. Started before the engine and stopped after it. */
  readonly foundations?: readonly Task[];
  /** Engines of the area. Mounted if they serve HTTP, and closed at the end. */
  readonly adapters?: readonly { readonly mount?: HttpMount; close(): Promise<void> }[];
  /** Readiness checks. */
  readonly checks?: Checks;
  /** Metrics of the area for `/metrics`. */
  readonly metrics?: () => readonly Metric[];
  /** Resolves to a problem found at start. Undefined if there is none, or if another replica serves. */
  readonly diagnosis?: () => Promise<string | undefined>;
}

/** Exported by a module's index.ts. The list of areas is generated from these exports. */
export type AreaOf = (context: AreaContext) => Area;
