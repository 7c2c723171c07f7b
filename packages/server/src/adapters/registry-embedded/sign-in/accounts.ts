// Who signs in with a user name and a password: robot accounts from the database, anybody else through the platform's hook.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { RobotAction, RobotPermission } from '#ports/registry.ts';
import { parseRobotUsername, projectOf } from '../grammar.ts';
import { selectProject, type Db } from '../project.sql.ts';
import { actionsOfPermissions } from './permissions.ts';
import { noteRefusal, noteUse, selectRobot, type RobotRow } from './robot.sql.ts';

/** Somebody who has signed in. */
export interface RegistrySubject {
  readonly name: string;
  /** What the subject may do in a project's repositories; empty for a project that is none of its business. */
  actions(project: string): Promise<readonly RobotAction[]>;
  /** Of a robot account alone: what it may, finer than by actions. */
  readonly permissions?: readonly RobotPermission[];
}
/** Where a sign-in comes from. */
export interface SignInPlace {
  readonly address: string;
  readonly client: string;
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

const NO_HASH = Buffer.alloc(32);
const NOTED_EVERY_MS = 60_000;
const MOST_NOTED = 10_000;
const NOWHERE: SignInPlace = { address: '', client: '' };

const robotSubject = (username: string, { project: own, permissions }: RobotRow): RegistrySubject => ({
  name: username,
  permissions,
  actions: async (project) => (project === own ? actionsOfPermissions(permissions) : []),
});

export class Accounts {
  readonly #db: Db;
  readonly #hook: AuthenticateHook | undefined;
  readonly #findSubject: SubjectHook | undefined;
  readonly #now: () => Date;
  /** When the use of a robot account was last written, by user name and secret. */
  readonly #noted = new Map<string, number>();

  constructor(db: Db, hook: AuthenticateHook | undefined, findSubject: SubjectHook | undefined, now: () => Date = () => new Date()) {
    this.#db = db;
    this.#hook = hook;
    this.#findSubject = findSubject;
    this.#now = now;
  }

  async signIn(username: string, password: string, place: SignInPlace = NOWHERE): Promise<RegistrySubject | undefined> {
    if (username === '' && password === '') return ANONYMOUS;
    // Names of robots never reach the hook: nobody can be asked for another's account.
    if (!username.startsWith('robot$')) return this.#hook?.(username, password);
    const robot = await this.#robot(username);
    const hash = hashSecret(password);
    const isPrevious = timingSafeEqual(robot?.previousHash ?? NO_HASH, hash);
    const isKnown = timingSafeEqual(robot?.secretHash ?? NO_HASH, hash);
    if (!robot || !(isKnown || isPrevious)) return undefined;
    if (robot.isDisabled || robot.isExpired) {
      await noteRefusal(this.#db, robot.project, robot.name, this.#now());
      return undefined;
    }
    await this.#noteUse(robot, { ...place, isPrevious: !isKnown });
    return robotSubject(username, robot);
  }

  /** Whose name stands in a token that we signed; nobody for robots and people who are gone or have ended. */
  async named(username: string): Promise<RegistrySubject> {
    if (!username.startsWith('robot$')) return (await this.#findSubject?.(username)) ?? ANONYMOUS;
    const robot = await this.#robot(username);
    return !robot || robot.isDisabled || robot.isExpired ? ANONYMOUS : robotSubject(username, robot);
  }

  async #robot(username: string): Promise<RobotRow | undefined> {
    const parsed = parseRobotUsername(username);
    return parsed && selectRobot(this.#db, parsed.project, parsed.name, this.#now());
  }

  /** Once a minute: a fleet of nodes signs in far more often than anybody looks. */
  async #noteUse(robot: RobotRow, use: SignInPlace & { readonly isPrevious: boolean }): Promise<void> {
    const now = this.#now();
    const key = `${robot.project}+${robot.name}${use.isPrevious ? ' before' : ''}`;
    if (now.getTime() - (this.#noted.get(key) ?? 0) < NOTED_EVERY_MS) return;
    if (this.#noted.size >= MOST_NOTED) this.#noted.clear();
    this.#noted.set(key, now.getTime());
    await noteUse(this.#db, robot.project, robot.name, use, now);
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
