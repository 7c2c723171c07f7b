/** Carries out the transitions of a credential, on an engine with logins and in the row that stores the credential. */
import {
  formerEndOf,
  isIssuedBy,
  issued,
  otherTurn,
  overlapEnd,
  replaced,
  takenBack,
  turnFor,
  type Credential,
  type Issued,
  type Turn,
} from './credential.ts';

/** The credential of one row. `Given` is what `give` returns, such as the version of a secret group. */
export interface Holder<Given> {
  readonly credential: Credential;
  /** Sets a new password on the login, hands it over, and stores the credential. May be interrupted and called again. */
  give(next: Issued): Promise<Given>;
  /** Removes the password of a login and ends its sessions. Ignores logins that do not exist. */
  close(turn: Turn): Promise<void>;
  /** Stores the credential after `close`, and removes what was handed over. */
  takeBack(before: Credential): Promise<void>;
}
export interface PasswordWish {
  /** The pipeline's id. A second call with the same id does nothing. */
  readonly by: string;
  /** Hours for which the former password stays valid. */
  readonly overlapHours: number;
  /** The same login gets another password, which ends the former one. */
  readonly isReplacement?: boolean;
}

/** Issues a password. Returns undefined if this pipeline has already issued it. */
export const issue = async <Given>(
  { credential, give }: Pick<Holder<Given>, 'credential' | 'give'>,
  { by, overlapHours, isReplacement = false }: PasswordWish,
): Promise<Given | undefined> => {
  if (isIssuedBy(credential, by)) return undefined;
  return give(isReplacement ? replaced(credential, by) : issued(credential, by, overlapEnd(overlapHours)));
};

/** Undoes `issue`, also if it was interrupted. */
export const unissue = async ({ credential, close, takeBack }: Omit<Holder<unknown>, 'give'>, by: string): Promise<void> => {
  await close(turnFor(credential, by));
  if (credential.state !== 'NONE' && isIssuedBy(credential, by)) await takeBack(takenBack(credential));
};

/** Closes the former login. The caller stores the end, unless another password was issued meanwhile. */
export const closeFormer = async ({ credential, close }: Pick<Holder<unknown>, 'credential' | 'close'>): Promise<void> => {
  if (credential.state !== 'NONE' && formerEndOf(credential) !== null) await close(otherTurn(credential.turn));
};
