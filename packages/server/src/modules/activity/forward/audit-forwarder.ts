/**
 * Forwards the audit log to a receiver outside, in order. The worker that leases the queue sends batch after batch; another one continues
 * if it dies. An entry leaves the queue once the receiver has it, so it may arrive twice, with the same id, but never not at all.
 */
import type { Db } from '#db/database.ts';
import { errorMessage } from '#kernel/caught.ts';
import { newId } from '#kernel/ids.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';
import type { AuditReceiver } from '#ports/audit-receiver.ts';
import type { Log } from '#ports/log.ts';
import { activityOf } from '../activity.sql.ts';
import { auditMessage } from './audit-message.ts';
import { nextWaiting, recordFailure, recordSent, releaseQueue, setForwarding, takeQueue, tryNow } from './waiting.sql.ts';

const LONGEST_FAILURE = 300;
const AT_ONCE = 100;
/** Receivers and the proxies before them refuse bodies of a megabyte. */
const BATCH_BYTES = 512 * 1024;
const FAILURE = 'The audit log could not be forwarded; trying again';

export class AuditForwarder {
  readonly #db: Db;
  readonly #receiver: AuditReceiver | undefined;
  readonly #log: Log;
  readonly #loop: SweepLoop;
  #sending: Promise<void> | undefined;
  #isStopped = true;
  #isFailing = false;

  constructor(db: Db, receiver: AuditReceiver | undefined, log: Log) {
    this.#db = db;
    this.#receiver = receiver;
    this.#log = log;
    this.#loop = new SweepLoop(() => this.#sweep(), log, FAILURE);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await setForwarding(this.#db, this.#receiver !== undefined);
    if (!this.#receiver) return;
    await tryNow(this.#db);
    this.#loop.start();
    this.#loop.lookAround();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    await this.#sending;
  }

  async #sweep(): Promise<void> {
    const receiver = this.#receiver;
    const token = newId('lease');
    if (!receiver) return;
    // A replica without the receiver may have started since: during the rollout that configures it.
    await setForwarding(this.#db, true);
    if (this.#sending || !(await takeQueue(this.#db, token))) return;
    // Not part of the sweep: the pause after a sweep grows with its duration.
    this.#sending = this.#sendAll(receiver, token)
      .catch((error: unknown) => this.#log.warn({ err: error }, FAILURE))
      .finally(() => (this.#sending = undefined));
  }

  async #sendAll(receiver: AuditReceiver, token: string): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#sendBatch(receiver, token)));
    } finally {
      await releaseQueue(this.#db, token);
    }
  }

  /** Returns false if nothing is left, or this worker must stop sending. */
  async #sendBatch(receiver: AuditReceiver, token: string): Promise<boolean> {
    // After a failure the first entry goes alone, so that the others of its batch cannot be the reason of the next one.
    const waiting = await nextWaiting(this.#db, this.#isFailing ? 1 : AT_ONCE);
    if (waiting.length === 0) return false;
    let bytes = 0;
    const messages = waiting
      .map((row) => auditMessage(activityOf(row), receiver.maxBytes))
      .filter(({ json }, index) => (bytes += json.length) <= BATCH_BYTES || index === 0);
    try {
      await receiver.send(messages);
    } catch (error) {
      const failure = errorMessage(error).slice(0, LONGEST_FAILURE);
      const isFirst = await recordFailure(this.#db, token, failure);
      const entry = waiting[0]?.id;
      if (isFirst)
        this.#log.warn({ receiver: receiver.address, reason: failure, entry }, 'The audit log cannot be forwarded; its entries wait');
      this.#isFailing = true;
      return false;
    }
    if (this.#isFailing) this.#log.info({ receiver: receiver.address }, 'The audit log is forwarded again');
    this.#isFailing = false;
    return recordSent(
      this.#db,
      token,
      waiting.slice(0, messages.length).map(({ position }) => position),
    );
  }
}
