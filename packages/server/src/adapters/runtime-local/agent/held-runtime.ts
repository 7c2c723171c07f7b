/** The runtime as the agent offers it: taking and letting go never overlap, whoever asks how often, and a lock says who acts. */
import type { Runtime } from '#ports/runtime.ts';
import type { AgentLock } from './agent-lock.ts';

const LOCK_MS = 5000;

export function heldRuntime<Held extends Runtime>(runtime: Held, lock: AgentLock): Held {
  let changing: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = changing.then(work);
    changing = turn.catch(() => undefined);
    return turn;
  };
  const acquire = async (): Promise<void> => {
    await lock.take(LOCK_MS);
    try {
      await runtime.acquire();
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  const release = async (): Promise<void> => {
    await runtime.release();
    lock.release();
  };
  return new Proxy(runtime, {
    get(target, name) {
      if (name === 'acquire') return () => inTurn(acquire);
      if (name === 'release') return () => inTurn(release);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
