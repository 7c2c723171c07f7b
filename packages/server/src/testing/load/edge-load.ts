/** Requests at the edge at a steady rate, each on a connection of its own: what a service's callers see while parts of the platform fail. */
import { askEdge } from '../program.ts';

const EVERY_MS = 25;

/** Answers the function that ends it and tells how many requests there were, and what failed (0: no connection). */
export const edgeLoad = (ingressPort: number, app: string): (() => Promise<{ count: number; failures: number[] }>) => {
  const under: Promise<void>[] = [];
  const failures: number[] = [];
  const timer = setInterval(() => {
    under.push(askEdge(ingressPort, app).then((status) => void (status === 200 || failures.push(status))));
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(under);
    return { count: under.length, failures };
  };
};
