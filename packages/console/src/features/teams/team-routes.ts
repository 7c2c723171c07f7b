/** Loaded with the first list: the contract's file of teams is part of other chunks, so a dynamic import of that file itself would move nothing. */
export { teamList } from '@slipway/contract/team.ts';
