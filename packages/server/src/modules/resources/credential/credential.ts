/**
 * A credential with two turns. Each turn is a login of its own: a rotation gives the password to the other login, so that the former login
 * keeps working for an overlap. This file has the states and their transitions. It touches neither rows nor engines.
 *
 *     NONE ──issued──► SINGLE ──issued──► OVERLAP ──ended──► SINGLE
 *     NONE ◄─takenBack─ SINGLE ◄─takenBack─ OVERLAP          SINGLE ──replaced──► SINGLE
 */
export type Turn = 1 | 2;
export const turns: readonly Turn[] = [1, 2];
export const otherTurn = (turn: Turn): Turn => (turn === 1 ? 2 : 1);

interface Newest {
  /** Login with the newest password. */
  readonly turn: Turn;
  /** Pipeline that issued the password. Null after another one was taken back. */
  readonly by: string | null;
}
type None = { readonly state: 'NONE' };
type Single = Newest & { readonly state: 'SINGLE' };
type Overlap = Newest & { readonly state: 'OVERLAP'; readonly formerEndsAt: Date };
export type Credential = None | Single | Overlap;
/** A credential with a password, as a pipeline has just issued it. */
export type Issued = (Single | Overlap) & { readonly by: string };

/** The columns that store a credential. A credential without a password has no turn. */
export interface StoredCredential {
  readonly turn: Turn | null;
  readonly by: string | null;
  readonly formerEndsAt: Date | null;
}
export const credentialOf = ({ turn, by, formerEndsAt }: StoredCredential): Credential => {
  if (turn === null) return { state: 'NONE' };
  return formerEndsAt === null ? { state: 'SINGLE', turn, by } : { state: 'OVERLAP', turn, by, formerEndsAt };
};
export const formerEndOf = (credential: Credential): Date | null => (credential.state === 'OVERLAP' ? credential.formerEndsAt : null);

const HOUR_MS = 3_600_000;
export const overlapEnd = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

export const isIssuedBy = (credential: Credential, by: string): boolean => credential.state !== 'NONE' && credential.by === by;
const nextTurn = (credential: Credential): Turn => (credential.state === 'NONE' ? 1 : otherTurn(credential.turn));
/** Returns the login to which a pipeline has issued the password, or will issue it. */
export const turnFor = (credential: Credential, by: string): Turn =>
  credential.state !== 'NONE' && credential.by === by ? credential.turn : nextTurn(credential);
/** Returns the logins that work, or the one that will get the first password. */
export const liveTurns = (credential: Credential): readonly Turn[] => {
  if (credential.state === 'OVERLAP') return [credential.turn, otherTurn(credential.turn)];
  return [credential.state === 'NONE' ? 1 : credential.turn];
};

/** Gives the next login the password. During an overlap, that login is the former one, whose password ends with this. */
export const issued = (credential: Credential, by: string, formerEndsAt: Date): Issued => {
  const next = { turn: nextTurn(credential), by };
  return credential.state === 'NONE' ? { state: 'SINGLE', ...next } : { state: 'OVERLAP', ...next, formerEndsAt };
};
/** Gives the current login another password, which ends the one that it had. */
export const replaced = (credential: Credential, by: string): Issued => ({ state: 'SINGLE', turn: liveTurns(credential)[0] ?? 1, by });
/** Returns to the former login, or to none before the first password. */
export const takenBack = (credential: Single | Overlap): None | Single =>
  credential.state === 'OVERLAP' ? { state: 'SINGLE', turn: otherTurn(credential.turn), by: null } : { state: 'NONE' };

/** A password cannot change during an overlap: that would end the former password before its time. `change`: verdict of the entity. */
export const rotateRule = <Code extends string>(credential: Credential, change: true | Code): true | Code | 'FormerPasswordValid' =>
  change === true && credential.state === 'OVERLAP' ? 'FormerPasswordValid' : change;
export const endFormerRule = (credential: Credential, now = new Date()): true | 'NoFormerPassword' =>
  credential.state === 'OVERLAP' && credential.formerEndsAt > now ? true : 'NoFormerPassword';

/** Returns the former login as the contract shows it. */
export const formerOf = (credential: Credential, userOf: (turn: Turn) => string): { user: string; endsAt: string } | null =>
  credential.state === 'OVERLAP' ? { user: userOf(otherTurn(credential.turn)), endsAt: credential.formerEndsAt.toISOString() } : null;
