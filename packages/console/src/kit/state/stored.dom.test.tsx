import { beforeEach, expect, test, vi } from 'vitest';
import { storedValue } from './stored.ts';

beforeEach(() => localStorage.clear());

const numbers = (raw: unknown): number => (typeof raw === 'number' ? raw : 0);

test('nonsense in storage is the default, and a set value is there for the next reader', () => {
  localStorage.setItem('n', '{');
  const store = storedValue('n', numbers);
  expect(store.get()).toBe(0);
  store.set(4);
  expect(storedValue('n', numbers).get()).toBe(4);
});

test('another tab’s change is heard while somebody listens', () => {
  const store = storedValue('n', numbers);
  const listener = vi.fn();
  const stop = store.subscribe(listener);
  localStorage.setItem('n', '7');
  dispatchEvent(new StorageEvent('storage', { key: 'n' }));
  expect(store.get()).toBe(7);
  dispatchEvent(new StorageEvent('storage', { key: 'other' }));
  stop();
  localStorage.setItem('n', '8');
  dispatchEvent(new StorageEvent('storage', { key: 'n' }));
  expect(listener).toHaveBeenCalledTimes(1);
});

test('undefined removes the key', () => {
  const store = storedValue<number | undefined>('n', (raw) => (typeof raw === 'number' ? raw : undefined));
  store.set(1);
  store.set(undefined);
  expect(localStorage.getItem('n')).toBeNull();
});
