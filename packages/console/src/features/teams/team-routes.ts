/** Loaded with the first list. The contract's team module is part of other chunks, so importing it dynamically would not move any code. */
export { teamList } from '@slipway/contract/team.ts';
