/**
 * Fills and removes the demo scene, one worker at a time. If that worker dies, another one continues: every step finds what earlier runs made.
 */
import type { Pool } from 'pg';
import { tryLock } from '#db/advisory-lock.ts';
import type { Db } from '#db/database.ts';
import { createToken } from '#kernel/auth/api-token.ts';
import { errorMessage } from '#kernel/caught.ts';
import { logFailure } from '#kernel/log-failure.ts';
import type { Log } from '#ports/log.ts';
import type { Streaming } from '#ports/streaming.ts';
import { SceneApi, SceneFailure } from './scene-api.ts';
import { sceneSteps } from './scene-steps.ts';
import { findOwner, itemsNewestFirst, noteFailure, noteFilled, noteProgress, noteRemoved, openWork } from './scene.sql.ts';
import { Scene } from './scene.ts';

const SWEEP_MS = 1000;
const LOCK = 'slipway:demo-scene';
const TOKEN = 'Demo scene';
const TOKEN_MS = 3_600_000;

export interface DemoRunnerDeps {
  readonly db: Db;
  readonly pool: Pool;
  readonly streaming: Streaming;
  readonly port: () => number;
  readonly serviceUrl: string;
  readonly log: Log;
}
type Work = NonNullable<Awaited<ReturnType<typeof openWork>>>;

export class DemoRunner {
  readonly #deps: DemoRunnerDeps;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: DemoRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#sweep().finally(() => {
        if (!this.#stopping.signal.aborted) this.start();
      });
    }, SWEEP_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sweep(): Promise<void> {
    const { db, pool, log } = this.#deps;
    try {
      if (!(await openWork(db))) return;
      const client = await pool.connect();
      // The lock ends with its connection. Another replica may continue then.
      const lost = new AbortController();
      const lose = (): void => lost.abort();
      client.once('end', lose);
      try {
        if (!(await tryLock(client, LOCK))) return;
        const work = await openWork(db);
        if (work) await this.#work(work, AbortSignal.any([this.#stopping.signal, lost.signal]));
      } finally {
        client.off('end', lose);
        await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [LOCK]).catch(() => undefined);
        client.release();
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) logFailure(log, error, {}, 'The demo scene could not be worked on');
    }
  }

  /** Acts with a token of the administrator who asked, which is deleted at the end. */
  async #work(work: Work, signal: AbortSignal): Promise<void> {
    const { db, pool, port, log } = this.#deps;
    const { runBy } = work;
    // A run that was killed left its token.
    await pool.query('delete from api_token where identity_id = $1 and name = $2', [runBy, TOKEN]);
    const expiresAt = new Date(Date.now() + TOKEN_MS);
    const { id: tokenId, token } = await createToken(pool, {
      identityId: runBy,
      name: TOKEN,
      scopes: ['read', 'write'],
      expiresAt,
      parentId: undefined,
    });
    const api = new SceneApi({ base: `http://127.0.0.1:${port()}`, token, signal });
    const { streaming, serviceUrl } = this.#deps;
    const scene = new Scene({ db, streaming, serviceUrl, api, runBy, owner: await findOwner(db, runBy) });
    try {
      await (work.direction === 'FILLING' ? this.#fill(scene, work) : this.#remove(scene, work));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SceneFailure)) logFailure(log, error, {}, 'A step of the demo scene failed');
      await noteFailure(
        db,
        work.work,
        error instanceof SceneFailure ? errorMessage(error) : 'Something went wrong. The log of the server says why.',
      );
    } finally {
      await pool.query('delete from api_token where id = $1', [tokenId]);
    }
  }

  async #fill(scene: Scene, { work }: Work): Promise<void> {
    const { db } = this.#deps;
    for (const [done, { title, run }] of sceneSteps.entries()) {
      scene.api.signal.throwIfAborted();
      if (!(await noteProgress(db, work, { step: title, done, total: sceneSteps.length }))) return;
      await run(scene);
    }
    if (await noteProgress(db, work, { step: null, done: sceneSteps.length, total: sceneSteps.length })) await noteFilled(db, work);
  }

  async #remove(scene: Scene, { work }: Work): Promise<void> {
    const { db } = this.#deps;
    const items = await itemsNewestFirst(db);
    for (const [done, item] of items.entries()) {
      scene.api.signal.throwIfAborted();
      const step = item.kind === 'note' ? null : `Removing ${item.kind} ${Object.values(item.names).at(-1) ?? ''}`;
      if (!(await noteProgress(db, work, { step, done, total: items.length }))) return;
      await scene.remove(item);
    }
    await noteRemoved(db, work);
  }
}
