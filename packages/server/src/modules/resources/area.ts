/** What an area of the platform brings, as one value: the composition root joins areas and knows none of them. */
import type { Database, DatabaseConfig } from '#db/database.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import type { AccessTokens } from '#kernel/auth/access-token.ts';
import type { DiskFloor, Floor } from '#kernel/disk-floor.ts';
import type { Handler } from '#kernel/http/handle.ts';
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import type { Scope } from '#kernel/http/mount.ts';
import type { AnyPipeline, PipelineEngine } from '#modules/pipelines/index.ts';
import type { Builder } from '#ports/builder.ts';
import type { Databases } from '#ports/databases.ts';
import type { Keys } from '#ports/keys.ts';
import type { Log } from '#ports/log.ts';
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
  /** Lists the packages of images. */
  readonly scanner: Scanner;
  /** Says what is wrong with images in the place of the advisories that are imported. */
  readonly outsideScanner?: Scanner | undefined;
  /** Wraps the data keys of secrets. */
  readonly keys: Keys;
  /** Makes the databases of apps. */
  readonly databases: Databases;
  /** Topics, accounts' users and messages. */
  readonly streaming: Streaming;
  /** Keeps the schemas of topics, where Kafka's clients look for them. Its mount is among `mounts`. */
  readonly schemaRegistry: SchemaRegistry;
  /** Where files of their backups lie. */
  readonly backups: { readonly directory: string; readonly floor: Floor };
  /** Calls addresses that users name. */
  readonly outgoing: Outgoing;
  readonly mounts: readonly HttpMount[];
  /** Of the data directory. */
  readonly disk?: Pick<DiskFloor, 'isShort'>;
  readonly signIn: AccessTokens & {
    readonly authority: string;
    readonly clientId: string;
    /** Binds sessions and refresh tokens to a key that the console keeps (record 0020). */
    readonly isKeyBound: boolean;
    /** Ends a person's sessions at an authority of our own. */
    readonly endSessions?: (identityId: string) => Promise<void>;
    /** Only an authority of our own makes tokens for services. */
    readonly serviceTokens?: ServiceTokens;
  };
}

/** What an area is made of. One that needs more for itself asks for it: `(context: AreaContext & { templates?: TemplateFiles })`. */
export interface AreaContext {
  readonly database: Database;
  /** For the sessions that hold locks and listen. */
  readonly connection: DatabaseConfig;
  readonly engine: PipelineEngine;
  readonly adapters: Adapters;
  readonly publicUrl: string;
  /** How the edge addresses a service, with `{service}`, `{app}` and `{env}` to fill in. */
  readonly serviceUrl: string;
  readonly mode: 'development' | 'production';
  readonly isWorker: boolean;
  readonly replica: string;
  /** Of the platform. */
  readonly version: string;
  /** What the replicas of one machine agree by which of them drives the runtime. */
  readonly fence?: () => DirectoryLock | undefined;
  readonly log: Log;
  /** Those of every area, once all are joined. */
  readonly checks: () => Checks;
  readonly metrics: () => readonly Metric[];
}

/** Each answers `ok`, `low` or `degraded: …` where the replica still serves but an operator should look, or what is wrong. */
export type Checks = Readonly<Record<string, () => Promise<string>>>;

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

interface Task {
  start(): void | Promise<void>;
  stop(how: { readonly isRestart: boolean }): Promise<void>;
}

export interface Area {
  readonly routes?: readonly Handler[];
  readonly pipelines?: readonly AnyPipeline[];
  /** Names in paths that stand for something which a team owns. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  /** What workers do by themselves as long as pipelines can be started. */
  readonly tasks?: readonly Task[];
  /** What pipelines and browsers need while they are served: started before the engine works, and stopped after it. */
  readonly foundations?: readonly Task[];
  /** Its engines: mounted, where they answer HTTP themselves, and closed at the end. */
  readonly adapters?: readonly { readonly mount?: HttpMount; close(): Promise<void> }[];
  /** What readiness asks. */
  readonly checks?: Checks;
  /** What it counts of itself, for `/metrics`. */
  readonly metrics?: () => readonly Metric[];
  /** What is wrong from the start, once that is known; undefined where all is well, or another replica serves. */
  readonly diagnosis?: () => Promise<string | undefined>;
}

/** Exported by a module's index.ts, from which the list of areas is generated. */
export type AreaOf = (context: AreaContext) => Area;
