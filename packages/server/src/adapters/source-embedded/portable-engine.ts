/** Git's protocol without git on the machine. */
import { advertisement } from './advertisement.ts';
import type { Floor } from '#kernel/disk-floor.ts';
import type { Service } from './advertisement.ts';
import { Gate } from './gate.ts';
import type { GitEngine, PushObserver } from './git-engine.ts';
import { ByteReader } from './pkt-line.ts';
import { encodeReport, frameReport } from './push-report.ts';
import { maxCommandBytes, parsePushRequest } from './push-request.ts';
import { receivePack } from './receive-pack.ts';
import type { PushLimits } from './receive-pack.ts';
import { isShort, refusePush } from './short-disk.ts';
import { uploadPack } from './upload-pack.ts';

export class PortableEngine implements GitEngine {
  readonly #limits: PushLimits;
  readonly #floor: Floor;
  /** A pack being checked is in memory whole, one still arriving is not. */
  readonly #unpacking = new Gate(2, Number.POSITIVE_INFINITY);

  constructor(limits: PushLimits, floor: Floor) {
    this.#floor = floor;
    this.#limits = limits;
  }

  async *advertise(gitDir: string, service: Service, protocol: string): AsyncGenerator<Buffer> {
    yield await advertisement(gitDir, service, /(^|:)version=1(:|$)/.test(protocol) ? 1 : 0);
  }

  fetch(gitDir: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    return uploadPack(gitDir, new ByteReader(body));
  }

  async *push(gitDir: string, body: AsyncIterable<Uint8Array>, observe: PushObserver): AsyncGenerator<Buffer> {
    const reader = new ByteReader(body);
    const request = parsePushRequest(await reader.section(maxCommandBytes));
    // Git asks with an empty push whether it may push, before it sends a large body.
    if (request.changes.length === 0) return;
    if (request.hasPack && (await isShort(this.#floor))) return yield* refusePush(request, reader);
    const report = await receivePack(gitDir, request, reader, { limits: this.#limits, gate: this.#unpacking, floor: this.#floor });
    const messages = await observe(request, report);
    if (!request.capabilities.has('report-status')) return;
    yield frameReport(encodeReport(report), request.capabilities.has('side-band-64k'), messages);
  }

  close(): void {}
}
