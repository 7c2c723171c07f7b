/** Names of a database's roles, and escaping of names and values in statements. */
import { PortFailure } from '#ports/failure.ts';
import { loginName, type DatabaseLogin, type DatabaseTarget } from '#ports/databases.ts';

export { escapeIdentifier as name, escapeLiteral as literal } from '#db/connections.ts';

const NAME = /^[a-z][a-z0-9_]{0,51}$/;
export const logins: readonly DatabaseLogin[] = ['a', 'b'];

export interface RoleNames {
  readonly database: string;
  readonly owner: string;
  readonly logins: readonly string[];
}
export const ownerOf = (database: string): string => `${database}_owner`;
export const namesOf = (target: DatabaseTarget): RoleNames => {
  const { database } = target;
  if (!NAME.test(database)) throw new PortFailure('rejected', `${database} cannot be the name of a database`);
  return { database, owner: ownerOf(database), logins: logins.map((login) => loginName(target, login)) };
};
export const loginOf = (role: string): DatabaseLogin => (role.endsWith('_a') ? 'a' : 'b');
