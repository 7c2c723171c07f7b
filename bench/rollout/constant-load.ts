/** A constant load on one service, made by a process of its own; measured in phases. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type Order = 'begin' | 'end';
export interface Measured {
  readonly sent: number;
  /** The rate that was reached. */
  readonly perSecond: number;
  readonly answered: number;
  /** Not answered 2xx, or not answered at all. */
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Until the first answer that is another than the first one; undefined when all are the same. */
  readonly changedAfterMs: number | undefined;
  /** From the first failed request to the last. */
  readonly downMs: number;
}

export interface ConstantLoad {
  /** Measures what was sent while `work` was at it, up to the last answer. */
  during(work: () => Promise<unknown>): Promise<Measured>;
  stop(): void;
}

export const startLoad = (target: { port: number; host: string; perSecond: number }): ConstantLoad => {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [String(target.port), target.host, String(target.perSecond)]);
  const ask = async (order: Order): Promise<{ measured: Measured }> => {
    const answer = once(child, 'message');
    child.send(order);
    const [message] = (await answer) as [{ measured: Measured }];
    return message;
  };
  return {
    async during(work) {
      await ask('begin');
      await work();
      return (await ask('end')).measured;
    },
    stop: () => void child.kill(),
  };
};
