/** A client of a broker in a process of its own, so that neither the bench nor the other client slows it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Access, Measured, Order } from './orders.ts';

export interface Client {
  measure(order: Order): Promise<Measured>;
  stop(): void;
}
type Answer = { readonly measured: Measured; readonly failure?: undefined } | { readonly failure: string };

/** Answers when its code is loaded. */
export const startClient = async (access: Access): Promise<Client> => {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [JSON.stringify(access)]);
  await once(child, 'message');
  return {
    async measure(order) {
      const answered = once(child, 'message') as Promise<[Answer]>;
      child.send(order);
      const [answer] = await answered;
      if (answer.failure !== undefined) throw new Error(`${order.kind}: ${answer.failure}`);
      return answer.measured;
    },
    stop: () => void child.kill(),
  };
};
