/** The two ways of speaking git's protocol: this server's own code, or host git where it is installed. */
import type { Service } from './advertisement.ts';
import type { PushReport } from './push-report.ts';
import type { PushRequest } from './push-request.ts';

/** Told of every push before its client is; answers the lines that the client prints. */
export type PushObserver = (request: PushRequest, report: PushReport) => Promise<readonly string[]>;

/**
 * Each method answers the body of an HTTP answer, piece by piece. Closing the answer early stops the work.
 * `protocol` is the client's Git-Protocol header; bodies come decompressed.
 */
export interface GitEngine {
  advertise(gitDir: string, service: Service, protocol: string): AsyncGenerator<Buffer>;
  fetch(gitDir: string, body: AsyncIterable<Uint8Array>, protocol: string): AsyncGenerator<Buffer>;
  push(gitDir: string, body: AsyncIterable<Uint8Array>, observe: PushObserver): AsyncGenerator<Buffer>;
  close(): void;
}
