/** Teams that an app can move to: those the user owns, the personal team first, even if it does not exist yet (specification §6). */
import type { Team } from '@slipway/contract/team.ts';

export interface TeamChoice {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly isThere: boolean;
}
export interface TeamChoiceOptions {
  readonly teams: readonly Pick<Team, 'id' | 'displayName' | 'state'>[];
  /** Ids of the teams that the user owns. */
  readonly owned: readonly string[];
  /** The app's current team. */
  readonly current: string;
  /** Code of the user's personal team. */
  readonly personal: string | undefined;
}

export const personalTeamLabel = 'Your personal team';

export const teamChoices = ({ teams, owned, current, personal }: TeamChoiceOptions): TeamChoice[] => {
  const others = teams.filter(({ id, state }) => owned.includes(id) && state === 'ACTIVE' && id !== current && id !== personal);
  const own = teams.find(({ id }) => id === personal);
  // A team with that code that somebody else owns is not the personal team.
  const isOffered = personal !== undefined && personal !== current && (own === undefined || owned.includes(personal));
  return [
    ...(isOffered
      ? [{ id: personal, label: personalTeamLabel, note: own ? personal : `${personal}, made with it`, isThere: own !== undefined }]
      : []),
    ...others.map(({ id, displayName }) => ({ id, label: displayName, note: id, isThere: true })),
  ];
};
