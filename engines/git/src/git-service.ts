/** Git's protocol: forwards bytes between a client and git's own services, and observes pushes. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { aboveFloor, type Floor } from '@slipway/foundation/disk-floor.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { GitProgram } from './git-program.ts';
import { ByteReader, flushPkt, pkt } from './pkt-line.ts';
import { relayReport, type PushReport } from './push-report.ts';
import { maxCommandBytes, parsePushRequest, type PushRequest } from './push-request.ts';
import { breakStaleLock, isPushableRef } from './refs.ts';
import { isShort, refusePush } from './short-disk.ts';

export type Service = 'git-upload-pack' | 'git-receive-pack';

/** Called for each push before the client gets the response. Returns lines that the client prints. */
export type PushObserver = (request: PushRequest, report: PushReport) => Promise<readonly string[]>;

export interface PushLimits {
  /** Size of the received pack, in bytes. */
  readonly maxPackBytes: number;
  /** Size of one file, in bytes. */
  readonly maxObjectBytes: number;
  /** Total inflated size of all new objects, in bytes. */
  readonly maxExpandedBytes: number;
}

export interface GitServiceOptions {
  readonly git: GitProgram;
  readonly limits: PushLimits;
  readonly floor: Floor;
  readonly log: Log;
}

interface ServiceRun {
  readonly service: Service;
  readonly gitDir: string;
  /** The client's Git-Protocol header. */
  readonly protocol?: string;
  readonly isAdvertising?: boolean;
}

/** Accepts only characters that git itself uses in that header, since it becomes an environment variable. */
const safeProtocol = (header: string): string => (/^[a-z0-9=:.-]{1,64}$/.test(header) ? header : '');

const settings = {
  'git-upload-pack': {
    // Git sends keep-alives while it makes a pack. Node's clients give up after five silent seconds, which is git's default interval.
    'uploadpack.keepAlive': '2',
    'uploadpack.allowFilter': 'true',
    'uploadpack.allowReachableSHA1InWant': 'true',
    'pack.threads': '2',
    'pack.windowMemory': '128m',
  },
  'git-receive-pack': {
    'transfer.fsckObjects': 'true',
    'receive.denyDeleteCurrent': 'refuse',
    'receive.denyNonFastForwards': 'false',
    // Each thread holds its own objects, and the memory limit is meant for one.
    'pack.threads': '1',
  },
} as const;

// Later rules win: only branches and tags are visible.
const hidden = ['refs', '!refs/heads', '!refs/tags'].flatMap((rule) => ['-c', `transfer.hideRefs=${rule}`]);

/** Writes the body into the process. If the process stops reading, the rest is read and dropped, so that the client gets the response. */
async function feed(stdin: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    const stop = (): void => {
      isOpen = false;
      resolve();
    };
    stdin.on('error', stop).on('close', stop);
  });
  for await (const chunk of body) {
    if (isOpen && !stdin.write(chunk)) await Promise.race([once(stdin, 'drain').catch(() => undefined), closed]);
  }
  stdin.end();
}

async function* framed(lines: readonly Buffer[], pack: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.concat([...lines.map((line) => pkt(line)), flushPkt]);
  yield* pack;
}

async function* counted<Chunk extends Uint8Array>(source: AsyncIterable<Chunk>, count: (bytes: number) => void): AsyncGenerator<Chunk> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / 2 ** 20);

async function* nothing(): AsyncGenerator<Buffer> {}

/**
 * Each method yields the body of an HTTP response in chunks. Closing the generator early stops the work. Request bodies are already
 * decompressed.
 */
export class GitService {
  readonly #options: GitServiceOptions;

  constructor(options: GitServiceOptions) {
    this.#options = options;
  }

  async *advertise(gitDir: string, service: Service, protocol: string): AsyncGenerator<Buffer> {
    // Version 2 has no such header, and only fetching has a version 2.
    if (service === 'git-receive-pack' || !/(^|:)version=2(:|$)/.test(protocol))
      yield Buffer.concat([pkt(`# service=${service}\n`), flushPkt]);
    yield* this.#run({ service, gitDir, protocol, isAdvertising: true }, nothing());
  }

  fetch(gitDir: string, body: AsyncIterable<Uint8Array>, protocol: string): AsyncGenerator<Buffer> {
    return this.#run({ service: 'git-upload-pack', gitDir, protocol }, body);
  }

  async *push(gitDir: string, body: AsyncIterable<Uint8Array>, observe: PushObserver): AsyncGenerator<Buffer> {
    const { floor } = this.#options;
    const reader = new ByteReader(body);
    const lines = await reader.section(maxCommandBytes);
    const request = parsePushRequest(lines);
    if (request.hasPack && (await isShort(floor))) return yield* refusePush(request, reader);
    // Git waits for a lock but never breaks one, and a killed server may have left it.
    for (const ref of ['packed-refs', ...request.changes.map((change) => change.ref).filter(isPushableRef)])
      await breakStaleLock(`${join(gitDir, ref)}.lock`);
    let packBytes = 0;
    const pack = counted(request.hasPack ? aboveFloor(reader.rest(), floor) : reader.rest(), (bytes) => (packBytes += bytes));
    const output = this.#run({ service: 'git-receive-pack', gitDir }, framed(lines, pack));
    yield* relayReport(output, request.capabilities.has('side-band-64k'), async (report, isSilent) => ({
      messages: await observe(request, report),
      unpack: report.unpack === 'ok' ? undefined : this.#exceeded(packBytes, isSilent),
    }));
  }

  /** Names the limit that a rejected pack exceeded and what to do, or returns undefined if git itself has said why. */
  #exceeded(packBytes: number, isSilent: boolean): string | undefined {
    const { git, limits } = this.#options;
    if (packBytes > limits.maxPackBytes)
      return `a push may have up to ${megabytes(limits.maxPackBytes)} MB: push fewer commits at a time, or keep large files elsewhere`;
    if (!isSilent) return undefined;
    const { cpuSeconds, memoryBytes } = git.limits;
    return `it takes git more than ${cpuSeconds} s or ${megabytes(memoryBytes)} MB of memory: push fewer commits at a time, or smaller files`;
  }

  async *#run({ service, gitDir, protocol = '', isAdvertising }: ServiceRun, body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    const { git, limits, log } = this.#options;
    const values = { ...settings[service], 'receive.maxInputSize': String(limits.maxPackBytes) };
    const config = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const flags = isAdvertising ? ['--stateless-rpc', '--advertise-refs'] : ['--stateless-rpc'];
    const { stdin, stdout, ended, stop } = git.spawn(gitDir, [...config, ...hidden, service.slice('git-'.length), ...flags, gitDir], {
      GIT_PROTOCOL: safeProtocol(protocol),
      MAX_FILE_BYTES: String(limits.maxObjectBytes),
      MAX_PUSH_BYTES: String(limits.maxExpandedBytes),
    });
    let fault: unknown;
    const fed = feed(stdin, body).catch((error: unknown) => {
      // The client disconnected or sent invalid data. Git sees the input end early and cleans up. If it were killed instead, it would leave
      // a child process behind that waits for the rest.
      fault = error;
      stdin.destroy();
    });
    try {
      for await (const chunk of stdout) yield chunk as Buffer;
      await fed;
      const { code, signal, complaint } = await ended;
      if (fault !== undefined) throw fault;
      if (code !== 0) log.info({ service, code, signal, complaint }, 'git refused a request');
    } finally {
      stop();
    }
  }
}
