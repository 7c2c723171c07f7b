/** Promotions of apps as an area: the comparison, and the pipeline. */
import { appPromote, appPromotionView } from '@slipway/contract/promotion.ts';
import { handle } from '#kernel/http/handle.ts';
import { runFor } from '#modules/pipelines/index.ts';
import type { AreaOf } from '#modules/resources/index.ts';
import { approvingTeam } from '#modules/services/index.ts';
import { compareApp } from './comparison.ts';
import { latestPromotion } from './parts.sql.ts';
import { planPromotion, startPromotion } from './promote.ts';
import { promotionPipeline } from './promotion.pipeline.ts';

export const promotionArea: AreaOf = ({ database: { db, pool }, engine, callInside }) => {
  const pipeline = promotionPipeline({ db, pool, callInside });
  const deps = { db, engine, callInside, pipeline };
  return {
    routes: [
      handle(appPromotionView, async ({ params: { app }, caller }) => {
        const team = await approvingTeam(db, { app, environment: 'production' });
        return {
          rows: await compareApp(deps, { app, caller }),
          comparedAt: new Date().toISOString(),
          approvingTeam: team?.name ?? null,
          latest: await latestPromotion(db, app),
        };
      }),
      handle(appPromote, async ({ params: { app }, caller, owner, query, body: { parts } }) => {
        const asked = { app, owner, caller, parts };
        return query.dryRun ? planPromotion(deps, asked) : runFor(db, await startPromotion(deps, asked), caller);
      }),
    ],
    pipelines: [pipeline],
  };
};
