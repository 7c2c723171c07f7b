import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { PortFailure } from '#ports/failure.ts';
import { createLog } from '#kernel/log.ts';
import { eachByItself, parseEach, UnreadableRows } from './unreadable.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const named = (id: string) => ({ id, kind: 'thing', name: `yard/${id}` });
const rows = async () =>
  (
    await database.pool.query<{ reader: string; id: string; detail: string }>(
      'select reader, id, detail from unreadable_row order by reader, id',
    )
  ).rows;

test('one row that cannot be parsed takes none of the others along', () => {
  const { values, bad } = parseEach(['1', 'x', '{}'], named, (text) => JSON.parse(text) as unknown);
  expect(values).toEqual([1, {}]);
  expect(bad).toEqual([{ ...named('x'), row: 'x', detail: expect.stringContaining('JSON') }]);
});

test('work that fails for one is done for the others, and fails at the end; an engine that is away ends it at once', async () => {
  const done: number[] = [];
  const failing = (error: Error) => async (item: number) => {
    if (item === 2) throw error;
    done.push(item);
  };
  await expect(eachByItself([1, 2, 3], failing(new Error('bad row')))).rejects.toThrow('bad row');
  expect(done).toEqual([1, 3]);
  await expect(eachByItself([4, 2, 5], failing(new PortFailure('unavailable', 'away')))).rejects.toThrow('away');
  expect(done).toEqual([1, 3, 4]);
});

test('readers write what they cannot read, each its own, and take it away when they can', async () => {
  const log = createLog('silent');
  const [one, other] = [new UnreadableRows(database.db, 'one', log), new UnreadableRows(database.db, 'other', log)];
  const bad = { ...named('a'), detail: 'no' };
  expect(await one.tell([bad, { ...named('b'), detail: 'no' }])).toHaveLength(2);
  expect(await other.tell([bad])).toEqual([bad]);
  // No longer new.
  expect(await one.tell([{ ...bad, detail: 'still not' }])).toEqual([]);
  expect(await rows()).toEqual([
    { reader: 'one', id: 'a', detail: 'still not' },
    { reader: 'other', id: 'a', detail: 'no' },
  ]);
  // Also removes rows of an earlier process.
  expect(await new UnreadableRows(database.db, 'one', log).tell([])).toEqual([]);
  expect(await rows()).toEqual([{ reader: 'other', id: 'a', detail: 'no' }]);
});
