/**
 * Imports 100,000 applications into the catalog from one CSV file. The server is killed once while it checks the rows and twice while it writes
 * the entries. Each row must be written exactly once. Reports the time, the rate of the first and of the last rows, and the server's memory.
 * `--rows N` sets another number.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPlatform, token, type Platform } from './platform.ts';

const root = '/api/catalogue';
const PARENTS = 2;
const description = 'Plans which vessel is moored where and for how long.';
const owner = 'admin';
const limits = { memoryMegabytes: 600, slowdown: 2 };
/** Shares of the rows after which the server is killed. */
const kills = { CHECKING: [0.5], APPLYING: [0.3, 0.6] } as const;

interface Import {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<'checked' | 'applied' | 'create' | 'refused', number>>;
}

const fileOf = (rows: number): string =>
  [
    'kind,name,description,owners,platform,portfolio,type',
    `portfolio,Bench lands,${description},${owner},,,BUSINESS`,
    `platform,Bench rails,${description},${owner},,Bench lands,DATA`,
    ...Array.from({ length: rows }, (_, at) => `application,Bench import ${at},${description},${owner},Bench rails,,`),
  ].join('\n');

const memoryMegabytes = ({ pid }: Platform): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** A server that is killed and started again on its data. */
class Server {
  platform: Platform;
  peakMegabytes = 0;
  readonly #dataDir: string;

  private constructor(platform: Platform, dataDir: string) {
    this.platform = platform;
    this.#dataDir = dataDir;
  }

  static async start(): Promise<Server> {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'slipway-bench-imports-'));
    return new Server(await startPlatform({ dataDir }), dataDir);
  }

  async kill(): Promise<void> {
    await this.platform.stop('SIGKILL');
    this.platform = await startPlatform({ dataDir: this.#dataDir });
  }

  /** Follows a phase to its end, with its kills. */
  async follow({ id }: Import, phase: keyof typeof kills, rows: number): Promise<{ seconds: number; slowdown: number; last: Import }> {
    const startedAt = performance.now();
    const waiting: number[] = [...kills[phase]];
    const points: { readonly at: number; readonly done: number }[] = [];
    for (;;) {
      const now = (await this.platform.call('GET', `${root}/imports/${id}`)) as unknown as Import;
      const done = phase === 'CHECKING' ? now.counts.checked : now.counts.applied;
      this.peakMegabytes = Math.max(this.peakMegabytes, memoryMegabytes(this.platform));
      points.push({ at: performance.now(), done });
      if (now.state !== phase) return { seconds: (performance.now() - startedAt) / 1000, slowdown: slowdownOf(points, rows), last: now };
      const [next] = waiting;
      if (next !== undefined && done > rows * next) {
        waiting.shift();
        await this.kill();
      }
      await delay(500);
    }
  }
}

/** Time per row after the last kill, divided by that before the first. */
const slowdownOf = (points: readonly { readonly at: number; readonly done: number }[], rows: number): number => {
  const pace = (from: number, to: number): number => {
    const part = points.filter(({ done }) => done >= rows * from && done <= rows * to);
    const [first, last] = [part[0], part.at(-1)];
    return first && last && last.done > first.done ? (last.at - first.at) / (last.done - first.done) : Number.NaN;
  };
  return pace(0.7, 1) / pace(0.02, 0.28);
};

const keptTotal = async ({ platform }: Server): Promise<number> =>
  ((await platform.call('GET', `${root}/search?status=ACTIVE&size=1`)) as { totalRecords: number }).totalRecords;

export async function run(): Promise<void> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { rows: { type: 'string', default: '99998' } } });
  const rows = Number(values.rows);
  const server = await Server.start();
  try {
    const before = await keptTotal(server);
    const uploadedAt = performance.now();
    const answer = await fetch(`${server.platform.url}${root}/imports?fileName=bench.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: fileOf(rows),
    });
    const made = (await answer.json()) as Import;
    if (!answer.ok) throw new Error(`The upload answered ${answer.status} ${JSON.stringify(made)}`);
    const uploadSeconds = (performance.now() - uploadedAt) / 1000;
    const checked = await server.follow(made, 'CHECKING', rows);
    await server.platform.call('POST', `${root}/imports/${made.id}/start`);
    const applied = await server.follow(made, 'APPLYING', rows);
    const written = (await keptTotal(server)) - before;
    const shown = (seconds: number): string => seconds.toFixed(1);
    console.table([
      { phase: 'upload', seconds: shown(uploadSeconds), 'rows per second': Math.round(rows / uploadSeconds), slowdown: '' },
      ...Object.entries({ check: checked, write: applied }).map(([phase, { seconds, slowdown }]) => ({
        phase,
        seconds: shown(seconds),
        'rows per second': Math.round(rows / seconds),
        slowdown: slowdown.toFixed(2),
      })),
    ]);
    const wrong = [
      ...(checked.last.state === 'CHECKED' && applied.last.state === 'DONE' ? [] : [`state ${applied.last.state}`]),
      ...(applied.last.counts.refused === 0 ? [] : [`${applied.last.counts.refused} refused`]),
      ...(written === rows + PARENTS ? [] : [`${written} written instead of ${rows + PARENTS}`]),
      ...(server.peakMegabytes <= limits.memoryMegabytes ? [] : [`${Math.round(server.peakMegabytes)} MB`]),
      ...[checked, applied].flatMap(({ slowdown }) =>
        !(slowdown <= limits.slowdown) ? [`last rows ${slowdown.toFixed(1)} times slower`] : [],
      ),
    ];
    console.log(
      `imports@${rows + PARENTS}: ${Math.round(uploadSeconds + checked.seconds + applied.seconds)} s, peak ${Math.round(server.peakMegabytes)} MB, ${
        wrong.length
      } below${wrong.length > 0 ? `: ${wrong.join('; ')}` : ''}`,
    );
    if (wrong.length > 0) process.exitCode = 1;
  } finally {
    await server.platform.stop();
  }
}
