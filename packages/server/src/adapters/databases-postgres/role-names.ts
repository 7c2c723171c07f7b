/** Names of a database's roles, and escaping of names and values in statements. */
import { PortFailure } from '#ports/failure.ts';
import { loginName, type DatabaseLogin, type DatabaseTarget, type OwnLogin, type ReadLogin } from '#ports/databases.ts';

export { escapeIdentifier as name, escapeLiteral as literal } from '#db/connections.ts';

const NAME = /^[a-z][a-z0-9_]{0,51}$/;
const ownLogins: readonly OwnLogin[] = ['a', 'b'];
const readLogins: readonly ReadLogin[] = ['reader_a', 'reader_b'];

export interface RoleNames {
  readonly database: string;
  readonly owner: string;
  readonly logins: readonly string[];
  /** Role of the read-only logins. Like those, it exists once they are admitted. */
  readonly reader: string;
  readonly readLogins: readonly string[];
}
export const ownerOf = (database: string): string => `${database}_owner`;
export const namesOf = (target: DatabaseTarget): RoleNames => {
  const { database } = target;
  if (!NAME.test(database)) throw new PortFailure('rejected', `${database} cannot be the name of a database`);
  const named = (login: DatabaseLogin): string => loginName(target, login);
  return {
    database,
    owner: ownerOf(database),
    logins: ownLogins.map(named),
    reader: `${database}_reader`,
    readLogins: readLogins.map(named),
  };
};
/** Returns the login of a role that is a login. */
export const loginOf = (role: string): DatabaseLogin =>
  readLogins.find((login) => role.endsWith(`_${login}`)) ?? (role.endsWith('_a') ? 'a' : 'b');
