/** Access rules (decisions §2): pure functions that the server enforces and `can` reports to the console. */
import type { Access } from './kernel.ts';

export interface Actor {
  readonly id: string;
  readonly isAdministrator: boolean;
  readonly memberOf: ReadonlySet<string>;
  readonly ownerOf: ReadonlySet<string>;
}
export type RightsCode = 'NotAMember' | 'NotAnOwner' | 'NotAnAdministrator' | 'NotSignedIn';

export const memberRule = (actor: Actor, team: string): true | 'NotAMember' =>
  actor.isAdministrator || actor.memberOf.has(team) ? true : 'NotAMember';
export const ownerRule = (actor: Actor, team: string): true | 'NotAnOwner' =>
  actor.isAdministrator || actor.ownerOf.has(team) ? true : 'NotAnOwner';
export const administratorRule = (actor: Actor): true | 'NotAnAdministrator' => (actor.isAdministrator ? true : 'NotAnAdministrator');

/** Evaluates a route's access word for an actor and the team that owns the resource. */
export const accessRule = (access: Access, actor: Actor | undefined, team: string | undefined): true | RightsCode => {
  if (access === 'public') return true;
  if (!actor) return 'NotSignedIn';
  if (access === 'signedIn') return true;
  if (access === 'administrator' || access === 'administratorHidden') return administratorRule(actor);
  if (access === 'appOwner' || access === 'teamOwner') return ownerRule(actor, team ?? '');
  return memberRule(actor, team ?? '');
};
