/** A part of the shell whose code comes after the first screen. If it does not come, the page stands without it. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Without: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await load().catch(() => Without) }));

/** Runs when the browser has nothing better to do, and not for people who save data. */
export const whenIdle = (run: () => void): (() => void) => {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  if (typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true)
    return () => undefined;
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 2000);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(run, { timeout: 5000 });
  return () => cancelIdleCallback(id);
};
