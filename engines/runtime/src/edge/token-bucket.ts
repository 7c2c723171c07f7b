/** Spike arrest: a steady rate with a burst for the few requests of one page. */

/** Burst size in seconds of the rate, and its minimum in requests. */
const BURST_SECONDS = 1;
const MIN_BURST = 5;

export class TokenBucket {
  #perMinute = 0;
  #tokens = 0;
  #at = 0;

  /** Sets the rate; 0 means no limit. Keeps the tokens when only the rate changes. */
  setRate(perMinute: number, nowMs: number): void {
    if (perMinute === this.#perMinute) return;
    const isNew = this.#perMinute === 0;
    this.#perMinute = perMinute;
    this.#tokens = isNew ? this.#capacity : Math.min(this.#tokens, this.#capacity);
    this.#at = nowMs;
  }

  /** Returns 0 if the request may pass, otherwise the seconds until the next one may. */
  take(nowMs: number): number {
    if (this.#perMinute === 0) return 0;
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((nowMs - this.#at) * this.#perMinute) / 60_000);
    this.#at = nowMs;
    if (this.#tokens < 1) return Math.max(1, Math.ceil(((1 - this.#tokens) * 60) / this.#perMinute));
    this.#tokens--;
    return 0;
  }

  get #capacity(): number {
    return Math.max(MIN_BURST, (this.#perMinute / 60) * BURST_SECONDS);
  }
}
