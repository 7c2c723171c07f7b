/** What other entities may use of teams and of who is signed in. */
export { useMe, useMyTeamList } from './me.ts';
