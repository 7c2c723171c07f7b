/** The teams that an app can be handed to: those that one owns, one's personal team first, also where it is not there yet (specification §6). */
import type { Team } from '@slipway/contract/team.ts';

export interface TeamChoice {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly isThere: boolean;
}
export interface TeamChoiceOptions {
  readonly teams: readonly Pick<Team, 'id' | 'displayName' | 'state'>[];
  /** Ids of those that one owns. */
  readonly owned: readonly string[];
  /** The team that has the app. */
  readonly current: string;
  /** The code of one's personal team. */
  readonly personal: string | undefined;
}

export const personalTeamLabel = 'Your personal team';

export const teamChoices = ({ teams, owned, current, personal }: TeamChoiceOptions): TeamChoice[] => {
  const others = teams.filter(({ id, state }) => owned.includes(id) && state === 'ACTIVE' && id !== current && id !== personal);
  const own = teams.find(({ id }) => id === personal);
  // Somebody else's team of that code is no personal team.
  const isOffered = personal !== undefined && personal !== current && (own === undefined || owned.includes(personal));
  return [
    ...(isOffered
      ? [{ id: personal, label: personalTeamLabel, note: own ? personal : `${personal}, made with it`, isThere: own !== undefined }]
      : []),
    ...others.map(({ id, displayName }) => ({ id, label: displayName, note: id, isThere: true })),
  ];
};
