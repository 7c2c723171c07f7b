// The context that the registry's routes share, and the shape of one request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { ImagePushed, RegistryEvent, RobotAction } from '@slipway/foundation/ports/registry.ts';
import type { ImageRules } from '@slipway/foundation/ports/registry-content.ts';
import type { Caller } from './sign-in/authorization.ts';
import type { BlobFiles } from './content/blob-files.ts';
import type { Db } from './project.sql.ts';
import type { Quota } from './quota/quota.ts';

/** Receives what happens in a project: events of images on the connection of their transaction. `host` is the host in image references. */
export type EventHook = (event: RegistryEvent, host: string, db: Db) => Promise<void>;

export interface RegistryLimits {
  /** The largest blob in bytes. */
  readonly blobBytes: number;
  readonly manifestBytes: number;
  /** The registry disconnects a client that sends nothing for this long. */
  readonly idleMs: number;
  /** How long bytes may wait for the manifest that needs them. */
  readonly graceMs: number;
}

export interface RegistryContext {
  readonly pool: Pool;
  /** Host in image references. */
  readonly host: string;
  readonly files: BlobFiles;
  readonly log: Log;
  readonly now: () => Date;
  readonly limits: RegistryLimits;
  readonly rules: ImageRules;
  readonly quota: Quota;
  readonly onEvent: EventHook;
  /** Called after a tag was committed. */
  readonly pushed: (image: ImagePushed) => void;
}

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly repository: string;
  /** The path's last segment, decoded and unchecked. */
  readonly reference: string;
  readonly caller: Caller;
}

export interface Route {
  readonly action: RobotAction;
  run(call: Call): Promise<void>;
}
/** Routes by HTTP method. */
export type Routes = Readonly<Record<string, Route>>;
