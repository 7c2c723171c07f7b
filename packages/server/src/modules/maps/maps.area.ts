/** Routes of maps. */
import { appMapView, teamMapView } from '@slipway/contract/map.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { handle } from '#kernel/http/handle.ts';
import type { AreaOf } from '#modules/resources/index.ts';
import { appMap } from './app-map.ts';
import { teamMap } from './team-map.ts';

export const mapArea: AreaOf = ({ database: { db } }) => ({
  routes: [
    handle(appMapView, ({ params: { app }, environment, owner, caller }) =>
      appMap(db, { app, environment }, { id: owner.teamId, displayName: owner.teamName }, memberRule(caller, owner.teamId) === true),
    ),
    handle(teamMapView, ({ params: { team }, environment }) => teamMap(db, team, environment)),
  ],
});
