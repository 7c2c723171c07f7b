/** The engine in memory behaves like the real ones. */
import { MemoryManaged } from './managed.fixture.ts';
import { managedSuite } from './managed.suite.ts';

managedSuite('an engine in memory', async () => {
  const managed = new MemoryManaged();
  let count = 0;
  return {
    managed,
    fresh: () => `thing-${++count}`,
    wishes: [1, 2],
    fulfills: (seen, wanted) => seen === wanted,
    plant: async (name) => void managed.foreign.add(name),
    isPlanted: async (name) => managed.foreign.has(name) && !managed.sizes.has(name),
    close: async () => {},
  };
});
