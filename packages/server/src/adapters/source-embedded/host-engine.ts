/** Git's protocol by host git: this server passes bytes through and reads along what a push did. */
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { aboveFloor, type Floor } from '#kernel/disk-floor.ts';
import type { Log } from '#ports/log.ts';
import type { Service } from './advertisement.ts';
import type { GitEngine, PushObserver } from './git-engine.ts';
import { spawnService } from './host-git.ts';
import type { ServiceRun } from './host-git.ts';
import { ByteReader, flushPkt, pkt } from './pkt-line.ts';
import { relayReport } from './push-report.ts';
import { maxCommandBytes, parsePushRequest } from './push-request.ts';
import { breakStaleLock } from './ref-transaction.ts';
import { isPushableRef } from './ref-name.ts';
import { isShort, refusePush } from './short-disk.ts';

const maxComplaintBytes = 4096;

/** Writes the body into the process. When that stops reading, the rest is read and dropped, so that the client hears the answer. */
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

export interface HostEngineOptions extends Pick<ServiceRun, 'maxPackBytes' | 'maxObjectBytes'> {
  readonly floor: Floor;
  readonly log: Log;
}

export class HostEngine implements GitEngine {
  readonly #log: Log;
  readonly #limits: Pick<ServiceRun, 'maxPackBytes' | 'maxObjectBytes'>;
  readonly #floor: Floor;
  readonly #running = new Set<ChildProcess>();

  constructor({ maxPackBytes, maxObjectBytes, floor, log }: HostEngineOptions) {
    this.#limits = { maxPackBytes, maxObjectBytes };
    this.#floor = floor;
    this.#log = log;
  }

  async *advertise(gitDir: string, service: Service, protocol: string): AsyncGenerator<Buffer> {
    // Version 2 has no such heading, and only fetching has a version 2.
    if (service === 'git-receive-pack' || !/(^|:)version=2(:|$)/.test(protocol))
      yield Buffer.concat([pkt(`# service=${service}\n`), flushPkt]);
    yield* this.#run({ service, gitDir, protocol, isAdvertising: true, ...this.#limits }, []);
  }

  fetch(gitDir: string, body: AsyncIterable<Uint8Array>, protocol: string): AsyncGenerator<Buffer> {
    return this.#run({ service: 'git-upload-pack', gitDir, protocol, isAdvertising: false, ...this.#limits }, body);
  }

  async *push(gitDir: string, body: AsyncIterable<Uint8Array>, observe: PushObserver): AsyncGenerator<Buffer> {
    const reader = new ByteReader(body);
    const lines = await reader.section(maxCommandBytes);
    const request = parsePushRequest(lines);
    if (request.hasPack && (await isShort(this.#floor))) return yield* refusePush(request, reader);
    // Git waits for a lock but never breaks one; a killed server may have left it.
    for (const ref of ['packed-refs', ...request.changes.map((change) => change.ref).filter(isPushableRef)]) {
      await breakStaleLock(`${join(gitDir, ref)}.lock`);
    }
    const run: ServiceRun = { service: 'git-receive-pack', gitDir, protocol: '', isAdvertising: false, ...this.#limits };
    const output = this.#run(run, framed(lines, request.hasPack ? aboveFloor(reader.rest(), this.#floor) : reader.rest()));
    yield* relayReport(output, request.capabilities.has('side-band-64k'), (report) => observe(request, report));
  }

  async *#run(request: ServiceRun, body: AsyncIterable<Uint8Array> | readonly Uint8Array[]): AsyncGenerator<Buffer> {
    const child = spawnService(request);
    this.#running.add(child);
    const ended = once(child, 'close').then(([code]) => code as number | null);
    // Nobody may be waiting any more when a process could not be started.
    ended.catch(() => undefined);
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, maxComplaintBytes);
    });
    let fault: unknown;
    const fed = feed(child.stdin, body as AsyncIterable<Uint8Array>).catch((error: unknown) => {
      // The client went away or sent nonsense. Git sees the input end, which no whole pack does, and cleans up after itself;
      // killed, it would leave a process of its own behind that waits for the rest.
      fault = error;
      child.stdin.destroy();
    });
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      await fed;
      const code = await ended;
      if (fault !== undefined) throw fault;
      if (code !== 0) this.#log.info({ service: request.service, code, complaint }, 'git refused a request');
    } finally {
      child.stdin.destroy();
      child.stdout.destroy();
      child.kill();
      this.#running.delete(child);
    }
  }

  close(): void {
    for (const child of this.#running) {
      child.stdin?.destroy();
      child.kill();
    }
  }
}
