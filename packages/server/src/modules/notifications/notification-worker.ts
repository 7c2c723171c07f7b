/** Expands events and looks for unannounced ones, every few seconds on each worker. Database locks let one replica at a time do it. */
import { noticeDays } from '@slipway/contract/notification/notification.ts';
import type { Db } from '#db/database.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';
import type { Log } from '#ports/log.ts';
import { expandEvents, sweepNotices } from './expand.sql.ts';
import { watchConditions, watchSecrets } from './watches.sql.ts';

const WATCH_EVERY_MS = 15_000;
const SWEEP_EVERY_MS = 3_600_000;

export class NotificationWorker {
  readonly #db: Db;
  readonly #log: Log;
  readonly #loop: SweepLoop;
  readonly #onExpanded: () => void;
  #watchedAt = 0;
  #sweptAt = 0;
  #isStopped = true;

  constructor({ db, log, onExpanded }: { readonly db: Db; readonly log: Log; readonly onExpanded: () => void }) {
    this.#db = db;
    this.#log = log;
    this.#onExpanded = onExpanded;
    this.#loop = new SweepLoop(() => this.#sweep(), log, 'Notifications could not be prepared; trying again');
  }

  start(): void {
    this.#isStopped = false;
    this.#loop.start();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#loop.stop();
  }

  async #sweep(): Promise<void> {
    if (Date.now() - this.#watchedAt > WATCH_EVERY_MS) {
      this.#watchedAt = Date.now();
      await watchConditions(this.#db);
      await watchSecrets(this.#db);
    }
    let expanded = 0;
    for (let batch = 1; batch > 0; expanded += batch) batch = await expandEvents(this.#db, this.#log);
    if (expanded > 0) this.#onExpanded();
    if (Date.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = Date.now();
    while ((await sweepNotices(this.#db, noticeDays)) > 0 && !this.#isStopped);
  }
}
