// Who signs in with a user name and a password: robot accounts from the database, anybody else through the platform's hook.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { RobotAction } from '#ports/registry.ts';
import { parseRobotUsername, projectOf } from '../grammar.ts';
import { selectProject, selectRobot, type Db } from '../project.sql.ts';

/** Somebody who has signed in. */
export interface RegistrySubject {
  readonly name: string;
  /** What the subject may do in a project's repositories; empty for a project that is none of its business. */
  actions(project: string): Promise<readonly RobotAction[]>;
}
/** Lets the platform accept its own credentials, e.g. API tokens of people. Undefined when they are wrong. */
export type AuthenticateHook = (username: string, password: string) => Promise<RegistrySubject | undefined>;
/** Somebody of the platform's by name alone, for a token that we signed a moment ago. */
export type SubjectHook = (name: string) => Promise<RegistrySubject | undefined>;

export const ANONYMOUS: RegistrySubject = { name: '', actions: async () => [] };

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const SECRET_LENGTH = 40;

/** 40 characters with lower case, upper case and a digit, which is what Harbor demands of a secret. */
export function newSecret(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return /[a-z]/.test(secret) && /[A-Z]/.test(secret) && /\d/.test(secret) ? secret : newSecret();
}

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export class Accounts {
  readonly #db: Db;
  readonly #hook: AuthenticateHook | undefined;
  readonly #findSubject: SubjectHook | undefined;

  constructor(db: Db, hook: AuthenticateHook | undefined, findSubject: SubjectHook | undefined) {
    this.#db = db;
    this.#hook = hook;
    this.#findSubject = findSubject;
  }

  async signIn(username: string, password: string): Promise<RegistrySubject | undefined> {
    if (username === '' && password === '') return ANONYMOUS;
    // Names of robots never reach the hook: nobody can be asked for another's account.
    if (!username.startsWith('robot$')) return this.#hook?.(username, password);
    const found = await this.#robot(username);
    return timingSafeEqual(found?.secretHash ?? Buffer.alloc(32), hashSecret(password)) ? found?.subject : undefined;
  }

  /** Whose name stands in a token that we signed; nobody for robots and people who are gone. */
  async named(username: string): Promise<RegistrySubject> {
    const subject = username.startsWith('robot$') ? (await this.#robot(username))?.subject : await this.#findSubject?.(username);
    return subject ?? ANONYMOUS;
  }

  async #robot(username: string): Promise<{ secretHash: Buffer; subject: RegistrySubject } | undefined> {
    const parsed = parseRobotUsername(username);
    const row = parsed && (await selectRobot(this.#db, parsed.project, parsed.name));
    if (!row) return undefined;
    const subject: RegistrySubject = {
      name: username,
      actions: async (project) => (project === row.project ? row.actions : []),
    };
    return { secretHash: row.secretHash, subject };
  }

  /** Of the asked actions those that are allowed; a public project lets everybody pull. */
  async allowed(subject: RegistrySubject, repository: string, asked: readonly RobotAction[]): Promise<RobotAction[]> {
    const project = projectOf(repository);
    const own = await subject.actions(project);
    const missing = asked.filter((action) => !own.includes(action));
    const isPublic = missing.includes('pull') && (await selectProject(this.#db, project))?.isPublic === true;
    return asked.filter((action) => own.includes(action) || (action === 'pull' && isPublic));
  }
}
