/** Public interface of the team entity and of the signed-in user. */
export { useMe, useMyTeamList } from './me.ts';
export { useAppPlace, type AppPlace } from './use-app-place.ts';
