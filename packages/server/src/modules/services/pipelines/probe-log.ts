/** Writes the attempts of a health check into a step's log: the first two of equal ones, their number, and the last one. */
import { eventCause, eventDetail } from '@slipway/contract/service/instance-event-texts.ts';
import type { Observed } from './rollout.sql.ts';

type Attempts = Pick<NonNullable<Observed['diagnosis']>, 'reason' | 'context' | 'message' | 'count' | 'instance'>;
type Write = (line: string, level: 'WARNING') => void;

/** Number of equal lines that are written before the others are counted. */
const SHOWN = 2;

interface Series {
  readonly text: string;
  count: number;
  /** Number of lines written. */
  written: number;
  /** The attempt of the last line. */
  shown: number;
}

export const isProbe = ({ context }: Pick<Attempts, 'context'>): boolean => context?.['probe'] !== undefined;
/** Returns for example `GET /healthz returned 404`. */
export const probeText = (event: Pick<Attempts, 'reason' | 'context' | 'message'>): string =>
  isProbe(event) ? eventDetail(event) : eventCause(event);

export class ProbeLog {
  readonly #write: Write;
  /** Instance → its current series. */
  readonly #series = new Map<string, Series>();

  constructor(write: Write) {
    this.#write = write;
  }

  see(event: Attempts | null): void {
    if (!event || !isProbe(event)) return;
    const instance = event.instance.slice(event.instance.lastIndexOf('-') + 1);
    const text = `${instance}  ${probeText(event)}`;
    const before = this.#series.get(instance);
    const isSame = before?.text === text;
    if (before && !isSame) this.#end(before);
    const series = before && isSame ? before : { text, count: 0, written: 0, shown: 0 };
    this.#series.set(instance, series);
    if (event.count <= series.count) return;
    series.count = event.count;
    if (series.written < SHOWN) this.#line(series);
  }

  /** Writes the counts that are still missing. */
  end(): void {
    for (const series of this.#series.values()) this.#end(series);
    this.#series.clear();
  }

  #end(series: Series): void {
    const left = series.count - series.shown;
    if (left > 1) this.#write(`${left - 1} more of the same`, 'WARNING');
    if (left > 0) this.#line(series);
  }

  #line(series: Series): void {
    series.written++;
    series.shown = series.count;
    this.#write(`${series.text} (attempt ${series.count})`, 'WARNING');
  }
}
