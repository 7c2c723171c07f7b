// What the registry's routes share, and what one request of them looks like.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import type { Log } from '#ports/log.ts';
import type { ImagePushed, RobotAction } from '#ports/registry.ts';
import type { ImageRules } from '#ports/registry-content.ts';
import type { Caller } from './sign-in/authorization.ts';
import type { BlobFiles } from './content/blob-files.ts';
import type { Quota } from './quota/quota.ts';

export interface RegistryLimits {
  /** The largest blob in bytes. */
  readonly blobBytes: number;
  readonly manifestBytes: number;
  /** A client that sends nothing for so long is cut off. */
  readonly idleMs: number;
  /** How long bytes may wait for the manifest that needs them. */
  readonly graceMs: number;
}

export interface RegistryContext {
  readonly pool: Pool;
  /** As it stands in image references. */
  readonly host: string;
  readonly files: BlobFiles;
  readonly log: Log;
  readonly now: () => Date;
  readonly limits: RegistryLimits;
  readonly rules: ImageRules;
  readonly quota: Quota;
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
/** By HTTP method. */
export type Routes = Readonly<Record<string, Route>>;
