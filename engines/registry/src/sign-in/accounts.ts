// Password sign-in: robot accounts come from the database, all other users from the platform's hook.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { RobotAction, RobotPermission } from '@slipway/foundation/ports/registry.ts';
import { parseRobotUsername, projectOf } from '../grammar.ts';
import { selectProject, type Db } from '../project.sql.ts';
import { actionsOfPermissions } from './permissions.ts';
import { noteRefusal, noteUse, selectRobot, type RobotRow } from './robot.sql.ts';

/** An authenticated user or robot account. */
export interface RegistrySubject {
  readonly name: string;
  /** Returns the allowed actions in a project's repositories; empty without access. */
  actions(project: string): Promise<readonly RobotAction[]>;
  /** Only for robot accounts: permissions finer than actions. */
  readonly permissions?: readonly RobotPermission[];
}
/** Origin of a sign-in. */
export interface SignInPlace {
  readonly address: string;
  readonly client: string;
}
/** Lets the platform accept its own credentials, e.g. API tokens of people. Undefined when they are wrong. */
export type AuthenticateHook = (username: string, password: string) => Promise<RegistrySubject | undefined>;
/** Finds a platform user by name, for a token that this registry signed recently. */
export type SubjectHook = (name: string) => Promise<RegistrySubject | undefined>;

export const ANONYMOUS: RegistrySubject = { name: '', actions: async () => [] };

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LOWER}${LOWER.toUpperCase()}0123456789`;
const SECRET_LENGTH = 40;

/** Returns 40 characters with lower case, upper case and a digit, as Harbor requires. */
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
  /** Time when the last use of a robot account was written, by user name and secret. */
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

  /** Returns the subject named in a token, or `ANONYMOUS` if the user or robot account is gone, disabled or expired. */
  async named(username: string): Promise<RegistrySubject> {
    if (!username.startsWith('robot$')) return (await this.#findSubject?.(username)) ?? ANONYMOUS;
    const robot = await this.#robot(username);
    return !robot || robot.isDisabled || robot.isExpired ? ANONYMOUS : robotSubject(username, robot);
  }

  async #robot(username: string): Promise<RobotRow | undefined> {
    const parsed = parseRobotUsername(username);
    return parsed && selectRobot(this.#db, parsed.project, parsed.name, this.#now());
  }

  /** Writes the last use at most once a minute, because nodes sign in very often. */
  async #noteUse(robot: RobotRow, use: SignInPlace & { readonly isPrevious: boolean }): Promise<void> {
    const now = this.#now();
    const key = `${robot.project}+${robot.name}${use.isPrevious ? ' before' : ''}`;
    if (now.getTime() - (this.#noted.get(key) ?? 0) < NOTED_EVERY_MS) return;
    if (this.#noted.size >= MOST_NOTED) this.#noted.clear();
    this.#noted.set(key, now.getTime());
    await noteUse(this.#db, robot.project, robot.name, use, now);
  }

  /** Returns the requested actions that are allowed. Anyone can pull from a public project. */
  async allowed(subject: RegistrySubject, repository: string, asked: readonly RobotAction[]): Promise<RobotAction[]> {
    const project = projectOf(repository);
    const own = await subject.actions(project);
    const missing = asked.filter((action) => !own.includes(action));
    const isPublic = missing.includes('pull') && (await selectProject(this.#db, project))?.isPublic === true;
    return asked.filter((action) => own.includes(action) || (action === 'pull' && isPublic));
  }
}
