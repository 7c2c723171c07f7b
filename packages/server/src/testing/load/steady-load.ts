/** Requests without a pause, to show that a service is never away while it is changed. */
import type { TestApp } from '../app.ts';

export interface SteadyLoad {
  /** Ends it, and tells how many requests there were, which answers came, and what failed. */
  stop(): Promise<{ count: number; answers: string[]; failures: string[] }>;
}

const LANES = 2;

export const steadyLoad = (app: Pick<TestApp, 'get'>, url: string): SteadyLoad => {
  let isStopping = false;
  let count = 0;
  const answers = new Set<string>();
  const failures: string[] = [];
  const lane = async (): Promise<void> => {
    while (!isStopping) {
      count += 1;
      const { status, text } = await app.get(url).catch((error: unknown) => ({ status: 0, text: String(error) }));
      if (status === 200) answers.add(text);
      else failures.push(`${status} ${text}`);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  return {
    async stop() {
      isStopping = true;
      await Promise.all(lanes);
      return { count, answers: [...answers], failures };
    },
  };
};
