// @long (shared process): tries an engine by itself, which the tests of modules use, too
import { expect, test } from 'vitest';
import { sessionsBeyond } from './session-memory.ts';

const session = (pid: number, database: string, bytes: number) => ({ pid, database, bytes });
const pids = (sessions: readonly { readonly pid: number; readonly database: string; readonly bytes: number }[], budget: number) =>
  sessionsBeyond(sessions, budget).map(({ pid }) => pid);

test('ends no session within the budget', () => {
  expect(pids([session(1, 'a', 40), session(2, 'b', 60)], 100)).toEqual([]);
});

test('ends the largest sessions of the database that uses most, not the largest session of all', () => {
  const greedy = [1, 2, 3, 4, 5].map((pid) => session(pid, 'greedy', 20 + pid));
  expect(pids([...greedy, session(9, 'modest', 60)], 140)).toEqual([5, 4]);
});

test('goes on with the next database when the first one no longer uses most', () => {
  expect(pids([session(1, 'a', 50), session(2, 'a', 30), session(3, 'b', 60), session(4, 'c', 10)], 60)).toEqual([1, 3]);
});

test('ends all sessions if even one is too large', () => {
  expect(pids([session(1, 'a', 50), session(2, 'b', 60)], 10)).toEqual([2, 1]);
});
