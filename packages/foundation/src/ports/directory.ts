/** The directory of people: who still works here. */
export interface DirectoryPerson {
  readonly id: string;
  /** Subject at the sign-in authority, if it differs from the id. */
  readonly subject: string | null;
  readonly email: string | null;
}
export type Standing = 'active' | 'left';
export interface Directory {
  readonly kind: 'embedded';
  /**
   * Returns the standing of the people that the directory knows. People it does not know are absent: nobody leaves because a directory has no
   * answer. Fails with `unavailable` if it cannot be asked.
   */
  standings(people: readonly DirectoryPerson[]): Promise<ReadonlyMap<string, Standing>>;
  /** Deactivates or reactivates a person. Returns false if the directory does not know the person. */
  setActive(id: string, isActive: boolean): Promise<boolean>;
}
