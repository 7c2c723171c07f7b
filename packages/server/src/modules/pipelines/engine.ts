/** Starts, cancels and re-runs pipelines durably. */
import type { Transaction } from 'kysely';
import type { DatabaseConfig, Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Log } from '#ports/log.ts';
import type { AnyPipeline, Person, PipelineDefinition } from './definition.ts';

export interface StartOptions<I> {
  /** JSON, no secrets: it is stored and may be shown. */
  readonly input: I;
  /** One active run per subject: `app:berth`, `service:berth/development/berth`. */
  readonly subject: string;
  readonly team?: string;
  readonly app?: string;
  readonly env?: string;
  readonly service?: string;
  readonly revision?: string;
  readonly createdBy: Person;
  /** person, push, image, settings, rollback or platform. */
  readonly trigger: string;
  readonly facts?: Record<string, string>;
  /** The same key of the same person answers the pipeline that it started. */
  readonly idempotencyKey?: string;
}
export interface Started {
  readonly pipelineId: string;
  readonly runId: string;
}

export interface PipelineEngineOptions {
  readonly connection: DatabaseConfig;
  readonly db: Db;
  readonly log: Log;
  readonly executorId?: string;
  readonly roles?: readonly string[];
}

export declare class PipelineEngine {
  constructor(options: PipelineEngineOptions);
  register<I extends object, S extends object>(definition: PipelineDefinition<I, S>): void;
  launch(): Promise<void>;
  close(): Promise<void>;
  start<I extends object, S extends object>(trx: Transaction<DB>, definition: PipelineDefinition<I, S>, options: StartOptions<I>): Promise<Started>;
  cancel(trx: Transaction<DB>, pipelineId: string, by: Person): Promise<void>;
  rerun(trx: Transaction<DB>, pipelineId: string, from: 'failedStep' | 'start', by: Person): Promise<Started>;
  readonly definitions: ReadonlyMap<string, AnyPipeline>;
}
