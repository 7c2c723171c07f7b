/** Stands between the platform and one of its engines, and makes chosen verbs fail: the engine behind it stays the real one. */
import { PortFailure } from '../ports/failure.ts';

export interface FaultyPort<Port extends object> {
  readonly port: Port;
  /** The next `times` calls of the verb do this instead. */
  next<Verb extends keyof Port>(verb: Verb, instead: (...input: unknown[]) => unknown, times?: number): void;
  /** The next `times` calls of the verb find the engine away. */
  away<Verb extends keyof Port>(verb: Verb, engine: string, times?: number): void;
}

export const faultyPort = <Port extends object>(real: Port): FaultyPort<Port> => {
  const faults = new Map<PropertyKey, { left: number; instead: (...input: unknown[]) => unknown }>();
  const port = new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]): unknown => {
        const fault = faults.get(name);
        if (!fault || fault.left === 0) return Reflect.apply(value, target, input);
        fault.left -= 1;
        return fault.instead(...input);
      };
    },
  });
  return {
    port,
    next: (verb, instead, times = 1) => void faults.set(verb, { left: times, instead }),
    away(verb, engine, times = 1) {
      const instead = () => Promise.reject(new PortFailure('unavailable', 'switched off by a test', { context: { engine } }));
      faults.set(verb, { left: times, instead });
    },
  };
};
