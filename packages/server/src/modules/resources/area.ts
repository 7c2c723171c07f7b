/** What an area of the platform brings, as one value: the composition root joins areas and knows none of them. */
import type { Database } from '#db/database.ts';
import type { Handler } from '#kernel/http/handle.ts';
import type { Scope } from '#kernel/http/mount.ts';
import type { AnyPipeline, PipelineEngine } from '#modules/pipelines/index.ts';
import type { Log } from '#ports/log.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import type { SourceHost } from '#ports/source.ts';

export interface AreaContext {
  readonly database: Database;
  readonly engine: PipelineEngine;
  readonly log: Log;
  readonly registry: Registry;
  readonly source: SourceHost;
  readonly runtime: Runtime;
}

export interface Area {
  readonly routes?: readonly Handler[];
  readonly pipelines?: readonly AnyPipeline[];
  /** Names in paths that stand for something which a team owns. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  /** What workers do by themselves as long as the platform runs. */
  readonly tasks?: readonly { start(): void; stop(): Promise<void> }[];
}

/** In a file `….area.ts`, from which the list of areas is generated. */
export type AreaOf = (context: AreaContext) => Area;
