/** Public interface of the team entity and of the signed-in user. */
export { useMe, useMyTeamList } from './me.ts';
export { PersonSearch, type Person } from './PersonSearch.tsx';
