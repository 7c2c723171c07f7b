/**
 * A partition's state of idempotent producers: the last five batches of each, to detect duplicates after a lost answer, and gaps. Follows
 * Apache Kafka's rules (ProducerAppendInfo).
 */
import { errors } from '../protocol/errors.ts';
import type { BatchHead } from './batch.ts';

const KEPT_BATCHES = 5;
const SEQUENCES = 2 ** 31;
/** Maximum number of producers per partition. The oldest is evicted first. */
const KEPT_PRODUCERS = 10_000;
/** Kafka's producer.id.expiration.ms. */
const KEPT_MS = 24 * 60 * 60 * 1000;

interface Written {
  readonly first: number;
  readonly last: number;
  readonly baseOffset: number;
}
interface Producer {
  epoch: number;
  usedAt: number;
  batches: readonly Written[];
}
/** The form stored in a checkpoint. */
export type ProducerState = readonly [id: number, epoch: number, usedAt: number, batches: readonly Written[]];

export type Verdict =
  | { readonly is: 'new' }
  | { readonly is: 'duplicate'; readonly baseOffset: number }
  | { readonly is: 'refused'; readonly errorCode: number };

export class Producers {
  readonly #byId = new Map<number, Producer>();

  judge({ producerId, producerEpoch, baseSequence, count }: BatchHead): Verdict {
    const known = producerId < 0 ? undefined : this.#byId.get(producerId);
    if (known === undefined) return { is: 'new' };
    if (producerEpoch < known.epoch) return { is: 'refused', errorCode: errors.INVALID_PRODUCER_EPOCH };
    if (producerEpoch > known.epoch)
      return baseSequence === 0 ? { is: 'new' } : { is: 'refused', errorCode: errors.OUT_OF_ORDER_SEQUENCE_NUMBER };
    const last = lastSequence(baseSequence, count);
    const again = known.batches.find((batch) => batch.first === baseSequence && batch.last === last);
    if (again) return { is: 'duplicate', baseOffset: again.baseOffset };
    const newest = known.batches.at(-1);
    if (newest && baseSequence !== (newest.last + 1) % SEQUENCES) return { is: 'refused', errorCode: errors.OUT_OF_ORDER_SEQUENCE_NUMBER };
    return { is: 'new' };
  }

  note({ producerId, producerEpoch, baseSequence, count }: BatchHead, baseOffset: number, now: number): void {
    if (producerId < 0) return;
    const known = this.#byId.get(producerId);
    const batch = { first: baseSequence, last: lastSequence(baseSequence, count), baseOffset };
    if (known?.epoch === producerEpoch) {
      known.batches = [...known.batches.slice(1 - KEPT_BATCHES), batch];
      known.usedAt = now;
      return;
    }
    const [oldest] = this.#byId.keys();
    if (known === undefined && oldest !== undefined && this.#byId.size >= KEPT_PRODUCERS) this.#byId.delete(oldest);
    this.#byId.set(producerId, { epoch: producerEpoch, usedAt: now, batches: [batch] });
  }

  /** Returns the state of all producers. Drops those without a batch for a day. */
  state(now: number): ProducerState[] {
    for (const [id, { usedAt }] of this.#byId) if (now - usedAt > KEPT_MS) this.#byId.delete(id);
    return [...this.#byId].map(([id, { epoch, usedAt, batches }]) => [id, epoch, usedAt, batches]);
  }

  restore(states: readonly ProducerState[]): void {
    for (const [id, epoch, usedAt, batches] of states) this.#byId.set(id, { epoch, usedAt, batches });
  }
}

const lastSequence = (first: number, count: number): number => (first + count - 1) % SEQUENCES;
