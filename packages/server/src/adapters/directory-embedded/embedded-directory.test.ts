/** The embedded directory passes the port's suite. */
import { afterAll, beforeAll } from 'vitest';
import { directorySuite } from '#ports/directory.suite.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { EmbeddedDirectory } from './embedded-directory.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(`insert into identity (id, display_name) values ('one', 'One'), ('two', 'Two') on conflict do nothing`);
});
afterAll(() => database?.drop());

directorySuite(() => ({
  directory: new EmbeddedDirectory(database.pool),
  known: ['one', 'two'].map((id) => ({ id, subject: null, email: null })),
}));
